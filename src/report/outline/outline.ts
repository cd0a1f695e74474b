import { printable } from '../../base/printable.ts';
import type { Block, Fact } from '../page/page.ts';
import { type FittingColumn, renderTable, type Style } from '../words/table.ts';
import { wrap } from '../words/width.ts';

/** The writers of sections; JUnit has cases of its own. */
export type Writer = 'terminal' | 'markdown' | 'page';

/** What some writers show only; all of them do where nothing is said. */
interface Shown {
  on?: readonly Writer[];
}

/** A section of a document. Writers leave out sections without content. */
export interface Section extends Shown {
  /** Anchor, title and lead on a page, which shows only sections that have them. */
  page?: { id: string; title: string; lead: string };
  /** In Markdown, the summary of what has to be opened. */
  details?: string;
  blocks: readonly OutlineBlock[];
  /** In a terminal, empty lines separate its blocks. */
  isLoose?: boolean;
  /** In a terminal, no empty line separates it from the section before. */
  isTight?: boolean;
}

export type Paint = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** What stands before a text in a terminal: some of it painted. */
export type Piece = string | { text: string; paint: readonly Paint[] };

/** A statement: in a terminal after its name, elsewhere as a paragraph. */
export interface TextBlock extends Shown {
  type: 'text';
  text: string;
  /** The text before the first line in a terminal; further lines are indented as far. */
  first?: readonly Piece[];
  paint?: readonly Paint[];
}

/** Named facts: in a terminal a line each, in Markdown a list. */
interface FactsBlock extends Shown {
  type: 'facts';
  facts: readonly Fact[];
}

interface HeadingBlock extends Shown {
  type: 'heading';
  text: string;
}

/** Statements: in a terminal a line each after the same word, in Markdown a list, on a page paragraphs. */
interface ListBlock extends Shown {
  type: 'list';
  texts: readonly string[];
  first?: readonly Piece[];
}

/** What is made for one writer; '' for no text. */
interface MadeBlock {
  type: 'made';
  terminal?: (style: Style) => string;
  markdown?: string;
  page?: () => readonly Block[];
}

export interface OutlineColumn extends Omit<FittingColumn, 'max'>, Shown {
  /** Wrapped beyond this number of characters, or this many in a terminal of a width. */
  max?: number | ((width: number) => number);
  /** The head in a terminal, where that of the first column stands for the title; it is in capitals by default. */
  terminal?: string;
  /** In Markdown its cells are code, or Markdown already. */
  markdown?: 'code' | 'made';
}

export interface OutlineTable extends Shown {
  type: 'table';
  title: string;
  columns: readonly OutlineColumn[];
  rows: readonly OutlineRow[];
  /** In a terminal, how the table is to be read; `isLeftOutNamed`: followed by the columns for which there was no room. */
  legend?: { text: string; isLeftOutNamed?: boolean };
  /** In a terminal that is too narrow for all columns beside the first, half of them are one below the other. */
  isSplit?: boolean;
  /** True if a page shows only the title until the reader opens the table. */
  isFolded?: boolean;
}
export interface OutlineRow {
  /** A cell can be made for the width that the others leave. */
  cells: readonly (string | ((width: number) => string))[];
  state?: 'good' | 'bad' | 'doubtful' | 'plain';
  /** How a terminal paints the first cell. */
  paint?: Paint;
}

export type OutlineBlock =
  HeadingBlock | TextBlock | FactsBlock | ListBlock | MadeBlock | OutlineTable | Exclude<Block, { type: 'table' }>;

/** Whether a writer shows a section, a block or a column. */
export function isOn(shown: object & Shown, writer: Writer): boolean {
  return shown.on?.includes(writer) !== false;
}

/** The least and the greatest width of a cell that is made for its width. */
export const [minBarWidth, maxBarWidth] = [12, 60];

/** Columns by their heads: a leading `>` aligns right, a trailing `/2` is the order in which narrow terminals drop it. */
export function heads(...names: readonly string[]): (OutlineColumn & { max?: number })[] {
  return names.map((name) => {
    const [, right, head = '', goes] = /^(>)?(.*?)(?:\/(\d))?$/.exec(name) ?? [];
    return { head, ...(right && { align: 'right' }), ...(goes && { goes: Number(goes) }) };
  });
}

/** Builds facts from names and texts; omits those with an empty text. */
export function factsOf(...facts: readonly (readonly [name: string, text: string | null])[]): Fact[] {
  return facts.flatMap(([name, words]) => (words === null ? [] : [{ name, text: words }]));
}

/** A statement. */
export function text(words: string, ...paint: Paint[]): TextBlock {
  return { type: 'text', text: words, paint };
}

/** A statement of a terminal after its name, in a column of ten. */
export function fact(name: string, words: string, ...paint: Paint[]): TextBlock {
  return { type: 'text', text: words, first: [name.padEnd(10)], paint };
}

/** Builds the last lines of a terminal: the path of the document and its verdict. */
export function lastSection(verdict: string, path?: string): Section {
  return { blocks: [asIs(path === undefined ? verdict : `result    ${printable(path)}\n${verdict}`)] };
}

/** A line of a terminal as it is, however narrow that may be. */
export function asIs(line: string, ...paint: readonly Paint[]): OutlineBlock {
  return made(({ colors }) => (line === '' ? '' : paint.reduce((shown, each) => colors[each](shown), line)));
}

/** Builds a block that only terminals show. */
export function made(terminal: (style: Style) => string): MadeBlock {
  return { type: 'made', terminal };
}

/** Builds a terminal text without a hanging indent. */
export function flush(words: string, ...paint: readonly Paint[]): OutlineBlock {
  return made((style) => paint.reduce((shown, each) => style.colors[each](shown), wrap(words, style.width).join('\n')));
}

/** Builds a two-column list of names and texts for a terminal. */
export function headless(rows: (style: Style) => readonly (readonly string[])[]): OutlineBlock {
  return made((style) => renderTable([{ head: '' }, { head: '' }], rows(style), style).trimStart());
}

/** Words before a statement, painted. */
export function painted(words: string, ...paint: Paint[]): Piece {
  return { text: words, paint };
}

/** The word before each warning of a document. */
export const warningWord: readonly Piece[] = [painted('warning', 'yellow'), '   '];
