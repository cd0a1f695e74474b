import { useState } from 'preact/hooks';
import type { ListedVerdict, ListRow, ResultsList } from '../../report/page/list/list.ts';
import { reportAddress, type Side, type Ticks } from '../../report/page/list/list-choice.ts';
import { withUnits } from '../chart/with-units.ts';

export const verdictTexts: Readonly<Record<ListedVerdict, { sign: string; text: string }>> = {
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
  const columns = allColumns.filter(
    ({ isRare, textOf }) => !isRare || list.rows.some((row) => !['', '-'].includes(textOf(row))),
  );
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
            {columns.map(({ head, align }) => (
              <Head key={head} text={head} align={align} />
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
                suffix={list.documents.find(({ name }) => name === row.document)?.suffix ?? ''}
                columns={columns}
                folder={isOfOneFolder ? '' : `${list.folders[row.folder] ?? ''}/`}
              />
            </tr>
          ))}
        </tbody>
      </table>
      {rows.some(isShort) ? <p class="note">{tooFewNote}</p> : null}
      {rows.length <= shown ? null : (
        <button type="button" class="more" onClick={() => show(shown + step)}>
          Show {Math.min(step, rows.length - shown)} more
        </button>
      )}
    </>
  );
}

const tooFewNote = 'p50, max: too few values for p95, which needs 130; p50 needs 11.';
const isShort = ({ figures: { turn, firstToken } }: ListRow): boolean =>
  /^(?:p50|max) /m.test(`${turn}\n${firstToken}`);

const sides = ['base', 'head'] as const;

interface Column {
  head: string;
  align: 'left' | 'right';
  textOf: (row: ListRow) => string;
  /** True if the column appears only with a value in it. */
  isRare: boolean;
}

const allColumns: readonly Column[] = [
  { head: 'First token p95', align: 'right', isRare: true, textOf: ({ figures }) => figures.firstToken },
  { head: 'Turn p95', align: 'right', isRare: false, textOf: ({ figures }) => figures.turn },
  { head: 'Failed turns', align: 'right', isRare: false, textOf: ({ figures }) => figures.failed },
  { head: 'Turns/s', align: 'right', isRare: false, textOf: ({ figures }) => figures.rate },
  { head: 'Label', align: 'left', isRare: true, textOf: ({ label }) => label },
  { head: 'Commit', align: 'left', isRare: true, textOf: ({ commit }) => commit },
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
  /** Added to the scenario. */
  suffix: string;
  columns: readonly Column[];
  folder: string;
}

function Cells({ row, suffix, columns, folder }: CellsProps) {
  return (
    <>
      <th scope="row" role="rowheader" class="started">
        <a
          href={reportAddress([row.id])}
          aria-label={`Report of ${row.scenario || row.file}${suffix}, ${timeText(row)}`}
        >
          {timeText(row)}
        </a>
      </th>
      <Cell head="Scenario" text={`${row.scenario}${suffix}`} />
      <td role="cell" class="verdict-cell" data-head="Verdict">
        <span>
          <span class="sign" aria-hidden="true">
            {verdictTexts[row.verdict].sign}
          </span>
          {verdictTexts[row.verdict].text}
        </span>{' '}
        <span class="reason" title={row.reason}>
          {withUnits(row.reason)}
        </span>
      </td>
      {columns.map(({ head, align, textOf }) => (
        <Cell key={head} head={head} text={textOf(row)} align={align} />
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
