import type { ListFilter } from '../../report/page/list/filter-rows.ts';
import type { ResultsList } from '../../report/page/list/list.ts';
import { Field, Select } from './field.tsx';
import { verdictWords } from './verdict-words.ts';

interface FiltersProps {
  list: ResultsList;
  filter: ListFilter;
  filterBy: (filter: ListFilter) => void;
}

/** What is looked for: every condition narrows the list at once. */
export function Filters({ list: { rows }, filter, filterBy }: FiltersProps) {
  const set = (name: keyof ListFilter) => (value: string) => filterBy({ ...filter, [name]: value });
  const select = (name: 'scenario' | 'verdict', title: string, words?: Words) => (
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
        placeholder="a part of it"
        onInput={({ currentTarget }) => set(name)(currentTarget.value)}
      />
    </Field>
  );
  return (
    <search class="filters" aria-label="Filter">
      {select('scenario', 'Scenario')}
      {search('label', 'Label')}
      {select('verdict', 'Verdict', verdictWords)}
      {search('commit', 'Commit')}
    </search>
  );
}

type Words = Readonly<Record<string, { text: string }>>;

/** The values of all rows, in other words where there are some, and what is chosen though no row has it any more. */
function choices(values: readonly string[], words: Words = {}): { value: string; text: string }[] {
  const known = [...new Set(values)].filter((value) => value !== '').toSorted();
  return [{ value: '', text: 'all' }, ...known.map((value) => ({ value, text: words[value]?.text ?? value }))];
}
