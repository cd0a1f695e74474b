import type { Choice, Timeline } from '../../report/page/page.ts';

interface HeatChoicesProps {
  choices: readonly Choice[];
  timelines: readonly Timeline[];
  chosen: { series: string; run: number };
  chooseSeries: (key: string) => void;
  chooseRun: (index: number) => void;
}

/** Of which series and which run a heat map is; nothing where there is no choice. */
export function HeatChoices({ choices, timelines, chosen, chooseSeries, chooseRun }: HeatChoicesProps) {
  if (choices.length < 2 && timelines.length < 2) return null;
  return (
    <p class="choices">
      <label>
        Series{' '}
        <select value={chosen.series} onChange={(event) => chooseSeries(event.currentTarget.value)}>
          {choices.map(({ key, label }) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {timelines.length < 2 ? null : (
        <label>
          Run{' '}
          <select value={String(chosen.run)} onChange={(event) => chooseRun(Number(event.currentTarget.value))}>
            {timelines.map(({ label }, index) => (
              <option key={index} value={String(index)}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
    </p>
  );
}
