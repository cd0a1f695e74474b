import { useEffect, useState } from 'preact/hooks';
import { countText, filterRows, noFilter } from '../../report/page/list/filter-rows.ts';
import { readChoice, toggleTick, writeChoice, type ListChoice } from '../../report/page/list/list-address.ts';
import type { ResultsList } from '../../report/page/list/list.ts';
import { CompareBar } from './compare-bar.tsx';
import { Filters } from './filters.tsx';
import { ResultsTable } from './results-table.tsx';
import { RunsUnderWay } from './runs-under-way.tsx';
import { TrendForm } from './trend-form.tsx';
import { useList } from './use-list.ts';

/** All results, the newest first, with what is under way on top. */
export function ListPage() {
  const { list, runs, lost } = useList();
  const [choice, choose] = useState(() => readChoice(location.search));
  useEffect(() => history.replaceState(null, '', `./${writeChoice(choice)}`), [choice]);
  return (
    <>
      <header class="head">
        <h1>Results{list === undefined ? '' : ` in ${list.folders.join(', ')}`}</h1>
        <p role="alert" class="lost">
          {lost}
        </p>
      </header>
      <main>
        <RunsUnderWay runs={runs} />
        {list === undefined ? (
          <p class="prose">{lost === '' ? 'Reading.' : ''}</p>
        ) : (
          <Results list={list} choice={choice} choose={choose} />
        )}
      </main>
    </>
  );
}

interface ResultsProps {
  list: ResultsList;
  choice: ListChoice;
  choose: (choice: ListChoice) => void;
}

function Results({ list, choice, choose }: ResultsProps) {
  const { filter, ticks } = choice;
  const rows = filterRows(list.rows, filter);
  const none = { base: [], head: [] };
  return (
    <>
      {list.problems.map(({ message, hint }) => (
        <div key={message} class="verdict" data-state="invalid">
          <p class="sentence">error {message}</p>
          <p class="note">{hint}</p>
        </div>
      ))}
      {list.rows.length === 0 ? null : (
        <>
          <Filters list={list} filter={filter} filterBy={(next) => choose({ ...choice, filter: next })} />
          <TrendForm
            list={list}
            scenario={filter.scenario}
            choice={choice.trend}
            choose={(trend) => choose({ ...choice, trend })}
          />
          <CompareBar
            ticks={ticks}
            hidden={[...ticks.base, ...ticks.head].filter((id) => !rows.some((row) => row.id === id)).length}
            clear={() => choose({ ...choice, ticks: none })}
          />
          <p class="count" role="status">
            {countText(rows, list.rows)}{' '}
            {rows.length === list.rows.length ? null : (
              <button type="button" onClick={() => choose({ ...choice, filter: noFilter })}>
                Show all
              </button>
            )}
          </p>
          <ResultsTable
            list={list}
            rows={rows}
            ticks={ticks}
            tick={(side, id) => choose({ ...choice, ticks: toggleTick(ticks, side, id) })}
          />
        </>
      )}
    </>
  );
}
