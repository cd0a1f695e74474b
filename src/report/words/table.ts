import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';
import wrapAnsi from 'wrap-ansi';
import { StandIns } from './stand-ins.ts';
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

/** Draws a table without borders: columns as wide as their contents, the last one wrapped at the width of the style. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string {
  const { gap, colWidths } = layOut(columns, rows, style.width);
  const standIns = new StandIns();
  const cell = (text: string, index: number): string => standIns.replace(fold(text, colWidths[index] ?? 0));
  const table = new Table({
    chars: { ...noBorders, middle: ' '.repeat(gap) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colAligns: columns.map(({ align = 'left' }) => align),
    colWidths: [...colWidths],
    head: columns.map(({ head }, index) => cell(style.colors.dim(head), index)),
  });
  table.push(...rows.flatMap((row) => linesOf(columns.map((_, index) => cell(row[index] ?? '', index)))));
  const lines = standIns.restore(table.toString()).split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

const borders = ['top', 'bottom', 'left', 'right', 'mid'] as const;
const noBorders = Object.fromEntries(
  borders.flatMap((side) => [side, `${side}-left`, `${side}-mid`, `${side}-right`].map((char) => [char, ''])),
);

/** A row for each line of the cells: for cells of several lines, cli-table3 takes time that grows with the cube of their length. */
function linesOf(cells: readonly string[]): string[][] {
  const split = cells.map((text) => text.split('\n'));
  const height = Math.max(...split.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => split.map((lines) => lines[at] ?? ''));
}

/** Breaks a text into lines of at most `width` columns; words that are too long are broken. Colors continue on the next line. */
function fold(text: string, width: number): string {
  const needed = widthOf(text);
  if (needed === 0) return '';
  return needed <= width ? text : wrapAnsi(text, width, { hard: true });
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
