import type { Block } from '../page/page.ts';
import type { FittingColumn } from '../words/fitting-table.ts';
import type { Style } from '../words/table.ts';

/** The writers of sections; JUnit has cases of its own. */
export type Writer = 'terminal' | 'markdown' | 'page';

/** A section of a document, for all writers or for some of them. Writers leave out sections without content. */
export interface Section {
  /** The writers that show it; all of them by default. */
  on?: readonly Writer[];
  /** Anchor, title and lead on a page, which shows only sections that have them. */
  page?: { id: string; title: string; lead: string };
  blocks: readonly OutlineBlock[];
  /** In a terminal, no empty line separates it from the section before. */
  isTight?: boolean;
}

export type Paint = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** A statement: in a terminal after its name, in Markdown as a paragraph. */
export interface TextBlock {
  type: 'text';
  text: string;
  /** The text before the first line in a terminal; further lines are indented as far. */
  name?: string;
  namePaint?: readonly Paint[];
  paint?: Paint;
}

/** Named facts: in a terminal a line each, in Markdown a list. */
interface FactsBlock {
  type: 'facts';
  facts: readonly { name: string; text: string }[];
  paint?: Paint;
}

interface HeadingBlock {
  type: 'heading';
  text: string;
}

/** Warnings: in a terminal after that word, in Markdown as a list. */
interface WarningsBlock {
  type: 'warnings';
  texts: readonly string[];
}

/** Texts that are made for one writer; '' for no text. */
interface MadeBlock {
  type: 'made';
  terminal?: (style: Style) => string;
  markdown?: string;
}

export interface OutlineColumn extends FittingColumn {
  /** The writers that show it; all of them by default. */
  on?: readonly Writer[];
  /** Code in Markdown. */
  isCode?: boolean;
}

/** A table. The head of the first column is in capitals in a terminal, where it stands for the title. */
export interface OutlineTable {
  type: 'table';
  title: string;
  columns: readonly OutlineColumn[];
  rows: readonly OutlineRow[];
}
interface OutlineRow {
  /** A cell can be made for the width that the others leave. */
  cells: readonly (string | ((width: number) => string))[];
  state?: 'good' | 'bad' | 'doubtful' | 'plain';
}

export type OutlineBlock =
  HeadingBlock | TextBlock | FactsBlock | WarningsBlock | MadeBlock | OutlineTable | Exclude<Block, { type: 'table' }>;

/** Whether a writer shows a section or a column. */
export function isOn({ on }: { on?: readonly Writer[] }, writer: Writer): boolean {
  return on?.includes(writer) !== false;
}

/** The least and the greatest width of a cell that is made for its width. */
export const [leastMade, mostMade] = [12, 60];

/** Columns by their heads; `>` before one aligns it right. */
export function heads(...names: readonly string[]): OutlineColumn[] {
  return names.map((name) => (name.startsWith('>') ? { head: name.slice(1), align: 'right' } : { head: name }));
}
