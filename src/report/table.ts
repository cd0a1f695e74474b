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
  middle: '  ',
};

/** A table without lines: columns as wide as they need, the last one wrapped where the style's width ends. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string {
  const table = new Table({
    chars: bare,
    head: columns.map(({ head }) => style.colors.dim(head)),
    colAligns: columns.map(({ align = 'left' }) => align),
    colWidths: widths(columns, rows, style.width),
    wordWrap: true,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return trimLines(table.toString());
}

/** Only the last column may have to give way; the others hold figures and names that must stay whole. */
function widths(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): number[] {
  const needs = columns.map(({ head }, index) =>
    Math.max(head.length, ...rows.map((row) => plain(row[index] ?? '').length)),
  );
  const others = needs.slice(0, -1).reduce((sum, need) => sum + need + 2, 0);
  const last = needs.at(-1) ?? 0;
  return [...needs.slice(0, -1), Math.max(10, Math.min(last, width - others))];
}

// The control sequence introducer that starts every colour.
const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** A text without its colours: what takes up room. */
export const plain = (text: string): string => text.replace(colour, '');

const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
