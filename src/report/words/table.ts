import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';

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

const bare = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
};

/** A table without lines: columns as wide as they need, the last one wrapped where the style's width ends. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string {
  const { gap, colWidths } = layOut(columns, rows, style.width);
  const table = new Table({
    chars: { ...bare, middle: ' '.repeat(gap) },
    head: columns.map(({ head }) => style.colors.dim(head)),
    colAligns: columns.map(({ align = 'left' }) => align),
    colWidths,
    wordWrap: true,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return trimLines(table.toString());
}

const leastWrapped = 10;

/** How wide a table of these has to be for nothing in it to be wrapped. */
export function leastWidth(columns: readonly Column[], rows: readonly (readonly string[])[]): number {
  return needsOf(columns, rows).reduce((sum, need) => sum + need + 1, -1);
}

const needsOf = (columns: readonly Column[], rows: readonly (readonly string[])[]): number[] =>
  columns.map(({ head, most = Infinity }, index) =>
    Math.min(most, Math.max(head.length, ...rows.map((row) => plain(row[index] ?? '').length))),
  );

/** Only the last column gives way, the others hold figures and names that must stay whole, up to their `most`; columns stand closer where that keeps it whole too. */
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

const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
