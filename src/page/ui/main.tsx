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

/** Runs in progress, then all results, newest first. */
function ListPage() {
  const { list, runs, lost } = useList();
  const [choice, choose] = useState(() => readChoice(location.search));
  useEffect(() => history.replaceState(null, '', `./${writeChoice(choice)}`), [choice]);
  return (
    <>
      <header class="head">
        <h1>Results{list === undefined ? '' : ` (${folderText(list.folders)})`}</h1>
        <p role="alert" class="lost">
          {lost}
        </p>
      </header>
      <main>
        <RunsUnderWay runs={runs} />
        {list === undefined ? (
          <p class="prose">{lost === '' ? 'Loading.' : ''}</p>
        ) : (
          <Results list={list} choice={choice} choose={choose} />
        )}
      </main>
    </>
  );
}

const folderText = (folders: readonly string[]): string =>
  `${folders.length === 1 ? 'folder' : 'folders'} ${folders.map((name) => `${name}${/[\\/]$/.test(name) ? '' : '/'}`).join(', ')}`;

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
          <div class="forms">
            <Filters list={list} filter={filter} filterBy={(next) => choose({ ...choice, filter: next })} />
            <TrendForm
              list={list}
              scenario={filter.scenario}
              choice={choice.trend}
              choose={(trend) => choose({ ...choice, trend })}
            />
          </div>
          <CompareBar
            ticks={ticks}
            hidden={[...ticks.base, ...ticks.head].filter((id) => !rows.some((row) => row.id === id)).length}
            clear={() => choose({ ...choice, ticks: none })}
          />
          <p class="count" role="status">
            {countText(rows, list.rows, list.documents)}{' '}
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
  /** Number of selected results that the filter hides. */
  hidden: number;
  clear: () => void;
}

function CompareBar({ ticks: { base, head }, hidden, clear }: CompareBarProps) {
  const address = comparisonAddress({ base, head });
  const ticked = [...base, ...head];
  return (
    <div class="compare" role="region" aria-label="Compare">
      <p role="status">
        Base {base.length}, head {head.length}
        {hidden === 0 ? '' : ` (${String(hidden)} hidden by the filter)`}
        {ticked.length === 0 ? ': select results for both sides to compare them.' : ''}
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

/** A link, or a disabled button without an address. */
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

/** Runs that are writing to the folders, and runs that stopped without a result. */
function RunsUnderWay({ runs }: { runs: readonly RunUnderWay[] }) {
  if (runs.length === 0) return null;
  return (
    <section class="under-way" aria-labelledby="under-way-title">
      <h2 id="under-way-title">In progress</h2>
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
