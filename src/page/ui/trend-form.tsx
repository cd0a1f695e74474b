import { useState } from 'preact/hooks';
import { trendAddress } from '../../report/page/list/list-address.ts';
import type { ResultsList } from '../../report/page/list/list.ts';

interface TrendFormProps {
  list: ResultsList;
  /** That of the filter: the one that is most likely meant. */
  scenario: string;
}

/** Chooses what is shown over nights: a scenario of a folder, and all metrics that matter or any other. */
export function TrendForm({ list: { folders, rows, metrics }, scenario: filtered }: TrendFormProps) {
  const [folder, setFolder] = useState(0);
  const [picked, pick] = useState('');
  const [metric, setMetric] = useState('');
  const inFolder = rows.filter((row) => row.folder === folder && row.scenario !== '');
  const scenarios = [...new Set(inFolder.map((row) => row.scenario))].toSorted();
  const scenario = [picked, filtered].find((each) => scenarios.includes(each)) ?? scenarios[0];
  if (scenario === undefined && folders.length === 1) return null;
  return (
    <section class="trend" aria-labelledby="trend-title">
      <h2 id="trend-title">Trend over nights</h2>
      <div class="filters">
        {folders.length === 1 ? null : (
          <label>
            Folder
            <select value={folder} onChange={({ currentTarget }) => setFolder(Number(currentTarget.value))}>
              {folders.map((name, at) => (
                <option key={name} value={at}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          Trend of scenario
          <select value={scenario} onChange={({ currentTarget }) => pick(currentTarget.value)}>
            {scenarios.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Metric
          <select value={metric} onChange={({ currentTarget }) => setMetric(currentTarget.value)}>
            <option value="">those that decide, and two more</option>
            {metrics.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
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
