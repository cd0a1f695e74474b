import type { Result } from '../../result/result.ts';
import { printableJson } from '../../base/printable.ts';
import type { Style } from './table.ts';

/** The parts of a document's text that are not in the document. */
export interface Ending {
  /** The file that it is in. */
  path?: string | undefined;
  /** The last line, where more than the document decides the outcome. */
  verdict?: string | undefined;
  /** The file in which something of it was kept. */
  kept?: string | undefined;
  /** Results that it was made from, as far as they are at hand: a page draws them over time. */
  runs?: readonly Result[] | undefined;
}

/** The text of a document in a format; `ending` has what is not in the document. */
export type Renderer<Document> = (document: Document, style: Style, ending: Ending) => string;

/** Every document as JSON. */
export function asJson(document: object): string {
  return printableJson(document, 2);
}
