import type { ListFilter } from '../../report/page/list/filter-rows.ts';
import type { ResultsList } from '../../report/page/list/list.ts';

interface FiltersProps {
  list: ResultsList;
  filter: ListFilter;
  filterBy: (filter: ListFilter) => void;
}

/** What is looked for: every condition narrows the list at once. */
export function Filters({ list: { rows }, filter, filterBy }: FiltersProps) {
  const set = (name: keyof ListFilter) => (event: { currentTarget: { value: string } }) =>
    filterBy({ ...filter, [name]: event.currentTarget.value });
  return (
    <search class="filters" aria-label="Filter">
      <Select
        name="Scenario"
        value={filter.scenario}
        values={rows.map(({ scenario }) => scenario)}
        set={set('scenario')}
      />
      <label>
        Label
        <input type="search" value={filter.label} placeholder="a part of it" onInput={set('label')} />
      </label>
      <Select name="Verdict" value={filter.verdict} values={rows.map(({ verdict }) => verdict)} set={set('verdict')} />
      <label>
        Commit
        <input type="search" value={filter.commit} placeholder="a part of it" onInput={set('commit')} />
      </label>
    </search>
  );
}

interface SelectProps {
  name: string;
  value: string;
  /** Of all rows; empty ones are none. */
  values: readonly string[];
  set: (event: { currentTarget: { value: string } }) => void;
}

/** A value that no row has any more stays to be seen. */
function Select({ name, value, values, set }: SelectProps) {
  const known = [...new Set([...values, value])].filter((each) => each !== '').toSorted();
  return (
    <label>
      {name}
      <select value={value} onChange={set}>
        <option value="">all</option>
        {known.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
