import { useState } from 'preact/hooks';
import type { ListedVerdict, ListedDocument, ListRow, ResultsList } from '../../report/page/list/list.ts';
import { reportAddress, type Side, type Ticks } from '../../report/page/list/list-choice.ts';

/** Signs and texts of verdicts. */
export const verdictWords: Readonly<Record<ListedVerdict, { sign: string; text: string }>> = {
  PASSED: { sign: '✓', text: 'PASSED' },
  DEGRADED: { sign: '!', text: 'PASSED, degraded' },
  FAILED: { sign: '✗', text: 'FAILED' },
  INVALID: { sign: '⚠', text: 'INVALID' },
  UNREADABLE: { sign: '⚠', text: 'UNREADABLE' },
};

interface TableProps {
  list: ResultsList;
  rows: readonly ListRow[];
  ticks: Ticks;
  tick: (side: Side, id: string) => void;
}

/** Number of rows shown at first and added by each press of the button. */
const step = 200;

/** Table of results. Narrow windows show each row as a card; its roles keep it a table row. */
export function ResultsTable({ list, rows, ticks, tick }: TableProps) {
  const [shown, show] = useState(step);
  const columns = figures.filter(({ isRare, of }) => !isRare || list.rows.some((row) => row.figures[of] !== '-'));
  const texts = textColumns.filter(({ of }) => list.rows.some((row) => row[of] !== ''));
  const isOfOneFolder = new Set(list.rows.map(({ folder }) => folder)).size === 1;
  return (
    <>
      <table class="results" role="table" aria-label="Results, newest first">
        <thead role="rowgroup">
          <tr role="row">
            <Head text="Base" />
            <Head text="Head" />
            <Head text="Started (UTC)" />
            <Head text="Scenario" />
            <Head text="Verdict" />
            {columns.map(({ head }) => (
              <Head key={head} text={head} align="right" />
            ))}
            {texts.map(({ head }) => (
              <Head key={head} text={head} />
            ))}
            <Head text="File" />
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.slice(0, shown).map((row) => (
            <tr key={row.id} role="row" data-verdict={row.verdict}>
              {sides.map((side) => (
                <Tick key={side} side={side} row={row} isTicked={ticks[side].includes(row.id)} tick={tick} />
              ))}
              <Cells
                row={row}
                columns={columns}
                texts={texts}
                folder={isOfOneFolder ? '' : `${list.folders[row.folder] ?? ''}/`}
              />
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length <= shown ? null : (
        <button type="button" class="more" onClick={() => show(shown + step)}>
          Show {Math.min(step, rows.length - shown)} more
        </button>
      )}
    </>
  );
}

const sides = ['base', 'head'] as const;

/** Suffix of the scenario by kind of document. */
const documentWords: Readonly<Record<ListedDocument, string>> = {
  result: '',
  capacity: ': capacity',
  comparison: ': capacities compared',
};

interface FigureColumn {
  head: string;
  of: keyof ListRow['figures'];
  /** True if the column appears only with a value in it. */
  isRare: boolean;
}

interface TextColumn {
  head: string;
  of: 'label' | 'commit';
}

/** Columns that appear only with a text in them. */
const textColumns: readonly TextColumn[] = [
  { head: 'Label', of: 'label' },
  { head: 'Commit', of: 'commit' },
];

const figures: readonly FigureColumn[] = [
  { head: 'First token p95', of: 'firstToken', isRare: true },
  { head: 'Turn p95', of: 'turn', isRare: false },
  { head: 'Failed turns', of: 'failed', isRare: false },
  { head: 'Turns/s', of: 'rate', isRare: false },
];

function Head({ text, align = 'left' }: { text: string; align?: 'left' | 'right' }) {
  return (
    <th scope="col" role="columnheader" class={align}>
      {text}
    </th>
  );
}

interface TickProps {
  side: Side;
  row: ListRow;
  isTicked: boolean;
  tick: TableProps['tick'];
}

function Tick({ side, row, isTicked, tick }: TickProps) {
  const name = `${side}: ${row.scenario === '' ? row.file : row.scenario} ${timeText(row)}`;
  return (
    <td role="cell" class="tick" data-head={side}>
      <label data-name={side === 'base' ? 'Base' : 'Head'}>
        <input type="checkbox" aria-label={name} checked={isTicked} onChange={() => tick(side, row.id)} />
      </label>
    </td>
  );
}

interface CellsProps {
  row: ListRow;
  columns: readonly FigureColumn[];
  texts: readonly TextColumn[];
  folder: string;
}

function Cells({ row, columns, texts, folder }: CellsProps) {
  return (
    <>
      <th scope="row" role="rowheader" class="started">
        <a
          href={reportAddress([row.id])}
          aria-label={`Report of ${row.scenario || row.file}${documentWords[row.document]}, ${timeText(row)}`}
        >
          {timeText(row)}
        </a>
      </th>
      <Cell head="Scenario" text={`${row.scenario}${documentWords[row.document]}`} />
      <td role="cell" class="verdict-cell" data-head="Verdict">
        <span>
          <span class="sign" aria-hidden="true">
            {verdictWords[row.verdict].sign}
          </span>
          {verdictWords[row.verdict].text}
        </span>{' '}
        <span class="reason">{row.reason}</span>
      </td>
      {columns.map(({ head, of }) => (
        <Cell key={head} head={head} text={row.figures[of]} align="right" />
      ))}
      {texts.map(({ head, of }) => (
        <Cell key={head} head={head} text={row[of]} />
      ))}
      <Cell head="File" text={`${folder}${row.file}`} />
    </>
  );
}

function Cell({ head, text, align = 'left' }: { head: string; text: string; align?: 'left' | 'right' }) {
  return (
    <td role="cell" class={align} data-head={head} data-empty={text === '' || text === '-'}>
      {text === '' ? '-' : text}
    </td>
  );
}

/** `2026-01-31 14:25:30` in UTC; `file of ...` with the last change of an unreadable file. */
function timeText({ at, verdict }: ListRow): string {
  return `${verdict === 'UNREADABLE' ? 'file of ' : ''}${at.slice(0, 19).replace('T', ' ')}`;
}
