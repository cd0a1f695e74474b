import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';
import wrapAnsi from 'wrap-ansi';
import { charactersOf, widthOf } from './width.ts';
import { clean } from './paragraph.ts';

/** Code points of the private-use planes 15 and 16; the filler is a private-use code point outside of them. */
const firstCode = 0xf_0000;
const codes = 0x1_fffe;
const filler = '\ue000';
/** Characters beyond ASCII, with the preceding character, which a combining mark may modify. */
const beyondAscii = /[ -~]?[^\0-\x7f]+/gu;
const standIns = /[\u{f0000}-\u{10fffd}]\ue000*/gu;

/**
 * Substitutes of known width for characters that cli-table3 may measure differently from a terminal: it supports
 * neither emoji newer than Unicode 12 nor most combining marks. Each distinct character gets a code point of the private-use
 * planes, followed by a filler for each further column of its width.
 */
class StandIns {
  readonly #codes = new Map<string, string>();
  readonly #characters = new Map<string, string>();

  /** Replaces the characters beyond ASCII in a cell; ASCII, including escape sequences of colors, is kept. */
  replace(cell: string): string {
    return cell.replace(beyondAscii, (run) =>
      charactersOf(run)
        .map((character) => this.#codeOf(character))
        .join(''),
    );
  }

  /** Restores the original characters. */
  restore(table: string): string {
    return table.replace(standIns, (code) => this.#characters.get(code) ?? code);
  }

  #codeOf(character: string): string {
    if (character.length === 1 && character < '\x7f') return character;
    const known = this.#codes.get(character);
    if (known !== undefined || this.#codes.size === codes) return known ?? character;
    const code =
      String.fromCodePoint(firstCode + this.#codes.size) + filler.repeat(Math.max(0, widthOf(character) - 1));
    this.#codes.set(character, code);
    this.#characters.set(code, character);
    return code;
  }
}

/** Style of a report: colours, and maximum width. */
export interface Style {
  colors: Colors;
  width: number;
}

export interface Column {
  head: string;
  align?: 'left' | 'right';
  /** Number of characters beyond which cells are wrapped. */
  max?: number;
}

/** Draws a table without borders; columns are as wide as their contents, the last one is wrapped at the width of the style. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string {
  const { gap, colWidths } = layOut(columns, rows, style.width);
  const standIns = new StandIns();
  const cell = (text: string, index: number): string => standIns.replace(wrap(text, colWidths[index] ?? 0));
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

/** Splits cells into one row per line, because cli-table3 takes cubic time for cells of several lines. */
function linesOf(cells: readonly string[]): string[][] {
  const split = cells.map((text) => text.split('\n'));
  const height = Math.max(...split.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => split.map((lines) => lines[at] ?? ''));
}

/** Breaks a text into lines of at most `width` columns, including long words. Colors continue on the next line. */
function wrap(text: string, width: number): string {
  const needed = widthOf(text);
  if (needed === 0) return '';
  return needed <= width ? text : wrapAnsi(text, width, { hard: true });
}

const minWrapWidth = 10;

/** Returns the minimum width of a table without wrapped cells. */
export function minWidth(columns: readonly Column[], rows: readonly (readonly string[])[]): number {
  return needsOf(columns, rows).reduce((sum, need) => sum + need + 1, -1);
}

const needsOf = (columns: readonly FittingColumn[], rows: readonly (readonly string[])[]): number[] =>
  columns.map(({ head, min = Infinity, max = Infinity }, index) =>
    Math.min(min, max, Math.max(widthOf(head), ...rows.map((row) => widthOf(row[index] ?? '')))),
  );

/** Lays out columns. Only the last one is wrapped; the others contain figures and names, which are not broken up to their `max`. Gaps shrink if that avoids wrapping. */
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
  const gap = isWhole(2) || (!isWhole(1) && room(2) >= Math.min(last, minWrapWidth)) ? 2 : 1;
  return { gap, colWidths: [...others, Math.max(Math.min(last, minWrapWidth), Math.min(last, room(gap)))] };
}

// Escape sequences of colours.
const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** Removes colours from a text. */
export function plain(text: string): string {
  return text.replace(colour, '');
}

export interface FittingColumn extends Column {
  /** Rank, from 1, in which columns compete for the remaining space, the lowest first; columns without a rank stay. */
  goes?: number;
  /** Minimum width of the last column, if its text may be wrapped. */
  min?: number;
}

/** Draws a table that drops columns by rank to fit the width of the style. Returns its text and the heads of the dropped columns. */
export function fittingTable(
  columns: readonly FittingColumn[],
  rows: readonly (readonly string[])[],
  style: Style,
): { text: string; omitted: string[] } {
  const kept = columnsThatFit(columns, needsOf(columns, rows), style.width);
  const shown = kept.flatMap((index) => columns[index] ?? []).map((column) => ({ ...column, min: Infinity }));
  const cells = rows.map((row) =>
    kept.map((index) => (columns[index]?.min === undefined ? (row[index] ?? '') : clean(row[index] ?? ''))),
  );
  return {
    text: renderTable(shown, cells, style),
    omitted: columns.flatMap(({ head }, index) => (kept.includes(index) ? [] : [head])),
  };
}

/** Returns the indexes of the columns that fit, with a space between them: permanent ones, then by ascending rank. */
function columnsThatFit(columns: readonly FittingColumn[], needs: readonly number[], width: number): number[] {
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
