import type { Comparison, ShiftPoint, Localization } from '../../compare/document/comparison.ts';
import { formatCount, formatMs } from '../words/format.ts';
import { formatChange, formatRange } from '../words/format-change.ts';
import { fittingTable, type FittingColumn } from '../words/fitting-table.ts';
import { clean, paragraph } from '../words/paragraph.ts';
import { renderTable, type Style } from '../words/table.ts';

const right = 'right' as const;
const longestBar = 20;

/** What moved and where, as sections; none where the sides were not compared. */
export function whereSections({ localization: where }: Comparison, style: Style): string[] {
  if (where === null) return [];
  const hasMoved = where.shape !== 'none';
  return [
    paragraph(where.summary, { width: style.width, first: 'WHERE     ' }),
    ...(hasMoved ? [shiftTable('TURN LATENCY', where.quantiles, style)] : []),
    ...changedParts(where).map(({ title, points }) => shiftTable(title, points, style)),
    newErrorTable(where, style),
  ].filter((section) => section !== '');
}

/** The parts of the run that moved differently: if all moved alike, the quantiles show it. */
export function changedParts({ deciles, positions }: Localization): { title: string; points: ShiftPoint[] }[] {
  return [
    { title: 'OVER TIME', points: deciles },
    { title: 'BY POSITION', points: positions },
  ].filter(({ points }) => differ(points));
}

/** Whether two parts moved differently, beyond noise and by a relevant amount. */
function differ(points: readonly ShiftPoint[]): boolean {
  const known = points.flatMap(({ change, ci95 }) =>
    change === null ? [] : [{ change, ...(ci95 ?? { low: change - unmeasured, high: change + unmeasured }) }],
  );
  return known.some((a) => known.some((b) => a.high < b.low && b.change - a.change >= least));
}

/** The assumed uncertainty of a change without an interval. */
const unmeasured = 0.05;
/** A difference between parts that is worth a table. */
const least = 0.05;

function shiftTable(title: string, points: readonly ShiftPoint[], style: Style): string {
  if (points.length === 0) return '';
  const largest = Math.max(0.1, ...points.map(({ change }) => Math.abs(change ?? 0)));
  const columns: FittingColumn[] = [
    { head: title },
    { head: 'base', align: right },
    { head: 'head', align: right },
    { head: 'change', align: right },
    { head: '95 % interval', align: right, goes: 1 },
    { head: 'slower █ faster ░', goes: 2 },
  ];
  const rows = points.map((point) => [...shiftCells(point), bar(point.change ?? 0, largest)]);
  return fittingTable(columns, rows, style).text;
}

/** A part of the latencies as text: its name, base, head, change and the interval of that. */
export function shiftCells({ name, base, head, change, ci95 }: ShiftPoint): string[] {
  return [clean(name), formatMs(base), formatMs(head), formatChange(change, 'ms'), formatRange(ci95, 'ms')];
}

const bar = (change: number, largest: number): string =>
  (change < 0 ? '░' : '█').repeat(Math.round((Math.abs(change) / largest) * longestBar));

/** Error classes that the base side did not have. */
function newErrorTable({ errors }: Localization, style: Style): string {
  const rows = errors.flatMap((each) =>
    each.isNew ? [[clean(each.class), formatCount(each.base), formatCount(each.head)]] : [],
  );
  if (rows.length === 0) return '';
  const columns = [{ head: 'NEW ERRORS' }, { head: 'base', align: right }, { head: 'head', align: right }];
  return renderTable(columns, rows, style).replace(/^\n/, '');
}
