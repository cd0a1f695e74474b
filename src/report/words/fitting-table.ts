import { clean } from './paragraph.ts';
import { renderTable, type Column, type Style } from './table.ts';
import { widthOf } from './width.ts';

export interface FittingColumn extends Column {
  /** From 1: where there is no room for all columns, those of greater numbers go first; one without a number stays. */
  goes?: number;
  /** The last column may: its text is wrapped, in at least this number of characters. */
  least?: number;
}

interface FittingTable {
  text: string;
  /** The heads of the columns for which there was no room. */
  leftOut: string[];
}

/** A table that leaves out columns, in the order that they name, rather than be wider than the style. */
export function fittingTable(
  columns: readonly FittingColumn[],
  rows: readonly (readonly string[])[],
  style: Style,
): FittingTable {
  const needs = columns.map((column, index) => needOf(column, rows, index));
  const kept = keep(columns, needs, style.width);
  const shown = columns.filter((_, index) => kept.includes(index));
  const cells = rows.map((row) => kept.map((index) => cellOf(row[index] ?? '', columns[index])));
  return {
    text: renderTable(shown, cells, style),
    leftOut: columns.flatMap(({ head }, index) => (kept.includes(index) ? [] : [head])),
  };
}

function needOf(
  { head, least = Infinity, most = Infinity }: FittingColumn,
  rows: readonly (readonly string[])[],
  index: number,
): number {
  const widest = Math.max(widthOf(head), ...rows.map((row) => widthOf(row[index] ?? '')));
  return Math.min(least, most, widest);
}

/** The places of the columns that there is room for, a space apart: the ones that stay, then the least of numbers first. */
function keep(columns: readonly FittingColumn[], needs: readonly number[], width: number): number[] {
  const rankOf = (index: number): number => columns[index]?.goes ?? 0;
  const order = [...columns.keys()].sort((a, b) => rankOf(a) - rankOf(b));
  const kept: number[] = [];
  let taken = -1;
  for (const index of order) {
    const more = (needs[index] ?? 0) + 1;
    if (rankOf(index) > 0 && taken + more > width) continue;
    kept.push(index);
    taken += more;
  }
  return kept.sort((a, b) => a - b);
}

const cellOf = (text: string, { least }: Partial<FittingColumn> = {}): string =>
  least === undefined ? text : clean(text);
