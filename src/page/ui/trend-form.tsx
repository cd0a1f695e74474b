import { trendAddress, type TrendChoice } from '../../report/page/list/list-address.ts';
import type { ResultsList } from '../../report/page/list/list.ts';
import { Select } from './field.tsx';

interface TrendFormProps {
  list: ResultsList;
  /** That of the filter: the one that is most likely meant. */
  scenario: string;
  choice: TrendChoice;
  choose: (choice: TrendChoice) => void;
}

/** Chooses what is shown over nights: a scenario of a folder, and all metrics that matter or any other. */
export function TrendForm({ list, scenario: filtered, choice, choose }: TrendFormProps) {
  const { folders, rows, metrics } = list;
  const { folder, scenario: picked, metric } = choice;
  const inFolder = rows.filter((row) => row.folder === folder && row.document === 'result' && row.scenario !== '');
  const scenarios = [...new Set(inFolder.map((row) => row.scenario))].toSorted();
  const scenario = [picked, filtered].find((each) => scenarios.includes(each)) ?? scenarios[0];
  return (
    <section class="trend" aria-labelledby="trend-title">
      <h2 id="trend-title">Trend over nights</h2>
      <div class="filters">
        {folders.length === 1 ? null : (
          <Select
            id="trend-folder"
            name="Folder"
            value={String(folder)}
            options={folders.map((name, at) => ({ value: String(at), text: name }))}
            choose={(at) => choose({ ...choice, folder: Number(at) })}
          />
        )}
        <Select
          id="trend-scenario"
          name="Trend of scenario"
          value={scenario ?? ''}
          options={scenarios.map(same)}
          choose={(next) => choose({ ...choice, scenario: next })}
        />
        <Select
          id="trend-metric"
          name="Metric"
          value={metric}
          options={[
            { value: '', text: 'those that decide, and two more' },
            ...metrics.map(({ name }) => name).map(same),
          ]}
          choose={(next) => choose({ ...choice, metric: next })}
        />
        {scenario === undefined ? null : (
          <a class="button" href={trendAddress({ folder, scenario, metric })}>
            Show trend
          </a>
        )}
      </div>
      <p class="hint">{metrics.find(({ name }) => name === metric)?.meaning}</p>
    </section>
  );
}

const same = (value: string): { value: string; text: string } => ({ value, text: value });
