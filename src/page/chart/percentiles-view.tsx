import { useMemo, useState } from 'preact/hooks';
import type { PercentilesBlock, TimeBlock, Timeline, Tone } from '../../report/page/page.ts';
import { TimeChart } from './time-chart.tsx';

const tones: readonly Tone[] = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Statistics of a series over time, both chosen by the reader. */
export function PercentilesView({ block, timelines }: { block: PercentilesBlock; timelines: readonly Timeline[] }) {
  const [series, choose] = useState(block.chosen.series);
  const [statistics, pick] = useState<readonly string[]>(block.chosen.statistics);
  const chart = useMemo(
    () => chartOf(block, { series, statistics }, timelines),
    [block, series, statistics, timelines],
  );
  const toggle = (key: string): void =>
    pick(block.statistics.map((each) => each.key).filter((each) => statistics.includes(each) !== (each === key)));
  return (
    <div class="choosing">
      <TimeChart block={chart} timelines={timelines}>
        <p class="choices">
          <ChoiceSelect name="Series" options={block.series} chosen={series} choose={choose} />
          <span role="group" aria-label="Statistics">
            {block.statistics.map(({ key, label }) => (
              <label key={key}>
                <input type="checkbox" checked={statistics.includes(key)} onChange={() => toggle(key)} /> {label}
              </label>
            ))}
          </span>
        </p>
      </TimeChart>
    </div>
  );
}

function chartOf(
  { id, title, description, series, statistics, limits }: PercentilesBlock,
  chosen: { series: string; statistics: readonly string[] },
  timelines: readonly Timeline[],
): TimeBlock {
  const of = series.find(({ key }) => key === chosen.series);
  const lines = statistics.filter(({ key }) => chosen.statistics.includes(key));
  return {
    type: 'time',
    id,
    title: `${title}: ${of?.label ?? chosen.series}`,
    description: `${of?.note ?? ''} ${description}`.trim(),
    unit: 'ms',
    form: 'lines',
    limits: limits.filter(({ column }) => column.startsWith(`${chosen.series}.`)),
    series: timelines.flatMap((timeline, run) =>
      lines.map(({ key, label, tone }) => ({
        label: timelines.length === 1 ? label : `${timeline.label} ${label}`,
        tone: timelines.length === 1 ? tone : (tones[run % tones.length] ?? 'first'),
        run,
        column: `${chosen.series}.${key}`,
      })),
    ),
  };
}

interface ChoiceSelectProps {
  name: string;
  options: readonly { key: string; label: string }[];
  chosen: string;
  choose: (key: string) => void;
}

export function ChoiceSelect({ name, options, chosen, choose }: ChoiceSelectProps) {
  return (
    <label>
      {name}{' '}
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
