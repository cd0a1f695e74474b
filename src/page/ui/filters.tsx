import type { ComponentChildren } from 'preact';
import { type ListFilter, trendAddress, type TrendChoice } from '../../report/page/list/list-choice.ts';
import type { ResultsList } from '../../report/page/list/list.ts';
import { groupBy } from '../../base/group-by.ts';
import { verdictTexts } from './results-table.tsx';

function Field({ id, name, children }: { id: string; name: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {children}
    </div>
  );
}

interface SelectProps {
  id: string;
  name: string;
  value: string;
  options: readonly { value: string; text: string }[];
  choose: (value: string) => void;
}

function Select({ id, name, value, options, choose }: SelectProps) {
  return (
    <Field id={id} name={name}>
      <select id={id} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface FiltersProps {
  list: ResultsList;
  filter: ListFilter;
  filterBy: (filter: ListFilter) => void;
}

/** Conditions; each narrows the list at once. */
export function Filters({ list: { rows }, filter, filterBy }: FiltersProps) {
  const set = (name: keyof ListFilter) => (value: string) => filterBy({ ...filter, [name]: value });
  const select = (name: 'scenario' | 'verdict', title: string, words?: Texts) => (
    <Select
      id={name}
      name={title}
      value={filter[name]}
      options={choices([...rows.map((row) => row[name]), filter[name]], words)}
      choose={set(name)}
    />
  );
  const search = (name: 'label' | 'commit', title: string) => (
    <Field id={name} name={title}>
      <input
        id={name}
        type="search"
        value={filter[name]}
        placeholder="contains ..."
        onInput={({ currentTarget }) => set(name)(currentTarget.value)}
      />
    </Field>
  );
  return (
    <search class="filters" aria-label="Filter">
      {select('scenario', 'Scenario')}
      {search('label', 'Label')}
      {select('verdict', 'Verdict', verdictTexts)}
      {search('commit', 'Commit')}
    </search>
  );
}

type Texts = Readonly<Record<string, { text: string }>>;

function choices(values: readonly string[], words: Texts = {}): { value: string; text: string }[] {
  const known = [...new Set(values)].filter((value) => value !== '').toSorted();
  return [{ value: '', text: 'all' }, ...known.map((value) => ({ value, text: words[value]?.text ?? value }))];
}

interface TrendFormProps {
  list: ResultsList;
  /** Scenario of the filter, the most likely choice. */
  scenario: string;
  choice: TrendChoice;
  choose: (choice: TrendChoice) => void;
}

/** Chooses a folder, a scenario and the metrics of a trend. */
export function TrendForm({ list, scenario: filtered, choice, choose }: TrendFormProps) {
  const { folders, rows, metrics } = list;
  const { folder, scenario: picked, metric } = choice;
  const inFolder = rows.filter((row) => row.folder === folder && row.document === 'result' && row.scenario !== '');
  const counts = groupBy(inFolder, (row) => row.scenario);
  const scenarios = [...counts.keys()].toSorted();
  const [longest] = [...counts].toSorted(([, one], [, other]) => other.length - one.length);
  const scenario = [picked, filtered].find((each) => scenarios.includes(each)) ?? longest?.[0];
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
          options={[{ value: '', text: 'default metrics' }, ...metrics.map(({ name }) => name).map(same)]}
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
