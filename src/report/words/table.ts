import type { Colors } from 'picocolors/types.js';
import wrapAnsi from 'wrap-ansi';
import { widthOf } from './width.ts';

/** How a report may look: colours on or off, and how wide it may be. */
export interface Style {
  colors: Colors;
  width: number;
}

export interface Column {
  head: string;
  align?: 'left' | 'right';
  /** Wrapped beyond this number of characters. */
  most?: number;
}

/** A table without lines: columns as wide as they need, the last one wrapped where the style's width ends. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string {
  const { gap, colWidths } = layOut(columns, rows, style.width);
  const heads = columns.map(({ head }) => style.colors.dim(head));
  const lines = [heads, ...rows].flatMap((row) => {
    const cells = columns.map((_, index) => linesOf(row[index] ?? '', colWidths[index] ?? 0));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, at) =>
      cells.map((cell, index) => fill(cell[at] ?? '', colWidths[index] ?? 0, columns[index])).join(' '.repeat(gap)),
    );
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Colours go on from line to line; a word that is wider than its column is broken. */
function linesOf(text: string, width: number): string[] {
  const needed = widthOf(text);
  if (needed === 0) return [''];
  return needed <= width ? [text] : wrapAnsi(text, width, { hard: true }).split('\n');
}

function fill(text: string, width: number, { align }: Pick<Column, 'align'> = {}): string {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? room + text : text + room;
}

const leastWrapped = 10;

/** How wide a table of these has to be for nothing in it to be wrapped. */
export function leastWidth(columns: readonly Column[], rows: readonly (readonly string[])[]): number {
  return needsOf(columns, rows).reduce((sum, need) => sum + need + 1, -1);
}

const needsOf = (columns: readonly Column[], rows: readonly (readonly string[])[]): number[] =>
  columns.map(({ head, most = Infinity }, index) =>
    Math.min(most, Math.max(widthOf(head), ...rows.map((row) => widthOf(row[index] ?? '')))),
  );

/** Only the last column is wrapped: the others hold figures and names that must stay whole, up to their `most`. Columns move closer where that keeps it whole too. */
function layOut(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): { gap: number; colWidths: number[] } {
  const needs = needsOf(columns, rows);
  const last = needs.at(-1) ?? 0;
  const others = needs.slice(0, -1);
  const room = (gap: number): number => width - others.reduce((sum, need) => sum + need + gap, 0);
  const isWhole = (gap: number): boolean => room(gap) >= last;
  const gap = isWhole(2) || (!isWhole(1) && room(2) >= Math.min(last, leastWrapped)) ? 2 : 1;
  return { gap, colWidths: [...others, Math.max(Math.min(last, leastWrapped), Math.min(last, room(gap)))] };
}

// The control sequence introducer that starts every colour.
const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** A text without its colours: what takes up room. */
export function plain(text: string): string {
  return text.replace(colour, '');
}
