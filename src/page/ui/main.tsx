import { useEffect, useState } from 'preact/hooks';
import { render } from 'preact';
import {
  countText,
  filterRows,
  noFilter,
  readChoice,
  toggleTick,
  writeChoice,
  type ListChoice,
  comparisonAddress,
  reportAddress,
  type Ticks,
} from '../../report/page/list/list-choice.ts';
import type { ResultsList, RunUnderWay } from '../../report/page/list/list.ts';
import { Filters, TrendForm } from './filters.tsx';
import { ResultsTable } from './results-table.tsx';
import { useList } from './use-list.ts';

/** All results, the newest first, with what is under way on top. */
function ListPage() {
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

interface CompareBarProps {
  ticks: Ticks;
  /** How many of the ticked are not in sight. */
  hidden: number;
  clear: () => void;
}

/** What is ticked, and what can be done with it. */
function CompareBar({ ticks: { base, head }, hidden, clear }: CompareBarProps) {
  const address = comparisonAddress({ base, head });
  const ticked = [...base, ...head];
  return (
    <div class="compare" role="region" aria-label="Compare">
      <p role="status">
        Base {base.length}, head {head.length}
        {hidden === 0 ? '' : ` (${String(hidden)} hidden by the filter)`}
        {ticked.length === 0 ? ': tick results of both sides to compare them.' : ''}
      </p>
      <p class="actions">
        <Action text="Compare" address={address} />
        <Action text="Show together" address={ticked.length < 2 ? undefined : reportAddress(ticked)} />
        <button type="button" disabled={ticked.length === 0} onClick={clear}>
          Clear
        </button>
      </p>
    </div>
  );
}

/** A link; without an address, a button that cannot be pressed. */
function Action({ text, address }: { text: string; address: string | undefined }) {
  if (address !== undefined)
    return (
      <a class="button" href={address}>
        {text}
      </a>
    );
  return (
    <button type="button" disabled>
      {text}
    </button>
  );
}

/** Runs that write into the folders just now, and those that have stopped without a result. */
function RunsUnderWay({ runs }: { runs: readonly RunUnderWay[] }) {
  if (runs.length === 0) return null;
  return (
    <section class="under-way" aria-labelledby="under-way-title">
      <h2 id="under-way-title">Under way</h2>
      <ul>
        {runs.map((run) => (
          <li key={`${run.folder} ${run.file}`} data-silent={run.isSilent}>
            <p>
              <span class="sign" aria-hidden="true">
                {run.isSilent ? '⚠' : '▶'}
              </span>
              <strong>{run.scenario}</strong>
              {run.label === '' ? '' : ` (${run.label})`}, since {run.startedAt.slice(0, 19).replace('T', ' ')} UTC:{' '}
              {run.state}
            </p>
            {run.address === null ? null : (
              <a class="button" href={run.address}>
                Watch
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const root = document.getElementById('page');
if (root !== null) render(<ListPage />, root);
