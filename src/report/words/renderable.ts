import type { z } from 'zod';
import type { Result } from '../../result/result.ts';
import { printableJson } from '../../base/printable.ts';
import type { Format } from './formats.ts';
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

/** A format that is made of a document alone; a page is drawn by code of its own. */
export type TextFormat = Exclude<Format, 'html'>;

/** A kind of document: how it is read, and as what it can be rendered. */
export interface Renderable<Document> {
  schema: z.ZodType<Document>;
  formats: Partial<Record<TextFormat, (document: Document, style: Style, ending: Ending) => string>>;
}

/** Every document as JSON. */
export function asJson(document: object): string {
  return printableJson(document, 2);
}
