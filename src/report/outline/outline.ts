import { printable } from '../../base/printable.ts';
import type { Block, Fact, Section as PageSection } from '../page/page.ts';
import { type FittingColumn, renderTable, type Style } from '../words/table.ts';
import { wrap } from '../words/width.ts';

/** Writers of sections; JUnit has cases instead. */
export type Writer = 'terminal' | 'markdown' | 'page';

/** Restricts an element to some writers; by default all writers show it. */
interface Shown {
  on?: readonly Writer[];
}

/** A section of a document. Writers omit sections without content. */
export interface Section extends Shown {
  /** Anchor, title and lead on a page, which shows only sections that have them. */
  page?: Omit<PageSection, 'blocks'>;
  /** Summary of a collapsed section in Markdown. */
  details?: string;
  blocks: readonly OutlineBlock[];
  /** True if a terminal separates its blocks by empty lines. */
  isLoose?: boolean;
  /** True if a terminal does not separate it from the previous section by an empty line. */
  isTight?: boolean;
}

export type Paint = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** Part of the prefix of a text in a terminal, painted if it is an object. */
export type Piece = string | { text: string; paint: readonly Paint[] };

/** A paragraph; a terminal shows a prefix. */
export interface TextBlock extends Shown {
  type: 'text';
  text: string;
  /** Prefix of the first line in a terminal; further lines are indented by its width. */
  first?: readonly Piece[];
  paint?: readonly Paint[];
}

/** Named facts: one line each in a terminal, a list in Markdown. */
interface FactsBlock extends Shown {
  type: 'facts';
  facts: readonly Fact[];
}

interface HeadingBlock extends Shown {
  type: 'heading';
  text: string;
}

/** Statements: one line each with a common prefix in a terminal, a list in Markdown, paragraphs on a page. */
interface ListBlock extends Shown {
  type: 'list';
  texts: readonly string[];
  first?: readonly Piece[];
}

/** Content rendered for single writers; '' for no text. */
interface MadeBlock {
  type: 'made';
  terminal?: (style: Style) => string;
  markdown?: string;
  page?: () => readonly Block[];
}

export interface OutlineColumn extends Omit<FittingColumn, 'max'>, Shown {
  /** Number of characters beyond which cells are wrapped, or a function of the width of the terminal. */
  max?: number | ((width: number) => number);
  /** Head in a terminal, where the head of the first column serves as title; by default it is in capitals. */
  terminal?: string;
  /** `code` if Markdown shows cells as code, `made` if cells contain Markdown. */
  markdown?: 'code' | 'made';
  /** Address of the trace ids in the cells of a page, with `{traceId}`. */
  link?: string;
}

export interface OutlineTable extends Shown {
  type: 'table';
  title: string;
  columns: readonly OutlineColumn[];
  rows: readonly OutlineRow[];
  /** Legend in a terminal; with `isOmittedNamed`, it also lists columns omitted for lack of space. */
  legend?: { text: string; isOmittedNamed?: boolean };
  /** True if a narrow terminal splits the table into two, each with the first column. */
  isSplit?: boolean;
  /** True if a page shows only the title until the reader opens the table. */
  isFolded?: boolean;
}
export interface OutlineRow {
  /** Cells; a function receives the remaining width. */
  cells: readonly (string | ((width: number) => string))[];
  state?: 'good' | 'bad' | 'doubtful' | 'plain';
  /** Colour of the first cell in a terminal. */
  paint?: Paint;
}

export type OutlineBlock =
  HeadingBlock | TextBlock | FactsBlock | ListBlock | MadeBlock | OutlineTable | Exclude<Block, { type: 'table' }>;

/** Reports whether a writer shows a section, a block or a column. */
export function isOn(shown: object & Shown, writer: Writer): boolean {
  return shown.on?.includes(writer) !== false;
}

/** Minimum and maximum width of cells that depend on it. */
export const [minBarWidth, maxBarWidth] = [12, 60];

/**
 * Builds columns from heads: a leading `>` aligns right, backticks show cells as code in Markdown, a trailing `|HEAD` is
 * the head in a terminal, a trailing `/2` the order in which narrow terminals drop them.
 */
export function heads(...names: readonly string[]): (OutlineColumn & { max?: number })[] {
  return names.map((name) => {
    const [, right, code, head = '', terminal, goes] =
      /^(>)?(`)?(.*?)`?(?:\|([A-Za-z ,]+))?(?:\/(\d))?$/.exec(name) ?? [];
    return {
      head,
      ...(right && { align: 'right' }),
      ...(code && { markdown: 'code' }),
      ...(terminal && { terminal }),
      ...(goes && { goes: Number(goes) }),
    };
  });
}

/** Builds a table; rows without a state are plain lists of cells. */
export function table(
  title: string,
  columns: readonly OutlineColumn[],
  rows: readonly (OutlineRow | OutlineRow['cells'])[],
  more: Pick<OutlineTable, 'on' | 'legend' | 'isSplit' | 'isFolded'> = {},
): OutlineTable {
  return { type: 'table', title, columns, rows: rows.map((row) => ('cells' in row ? row : { cells: row })), ...more };
}

export function list(texts: readonly string[], more: Omit<ListBlock, 'type' | 'texts'> = {}): ListBlock {
  return { type: 'list', texts, ...more };
}

/** Builds facts from texts by name; omits names without a text. */
export function factsOf(texts: Readonly<Record<string, string | null>>): Fact[] {
  return Object.entries(texts).flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
}

export function text(words: string, ...paint: Paint[]): TextBlock {
  return { type: 'text', text: words, paint };
}

/** Builds a paragraph with a name in a column of ten characters. */
export function fact(name: string, words: string, ...paint: Paint[]): TextBlock {
  return { type: 'text', text: words, first: [name.padEnd(10)], paint };
}

/** Builds the last lines of a terminal: the path of the document and its verdict. */
export function lastSection(verdict: string, path?: string): Section {
  return { blocks: [asIs(path === undefined ? verdict : `result    ${printable(path)}\n${verdict}`)] };
}

/** Builds a terminal line that is never wrapped. */
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

export function painted(words: string, ...paint: Paint[]): Piece {
  return { text: words, paint };
}

/** Prefix of each warning of a document. */
export const warningWord: readonly Piece[] = [painted('warning', 'yellow'), '   '];
