import type { Result } from '../../result/result.ts';
import type { Page } from '../page/page.ts';
import type { JunitSuite } from '../words/junit.ts';
import type { Section, Writer } from './outline.ts';

/** Parts of a printed document that the document itself does not contain. */
export interface Ending {
  /** Path of the document's file. */
  path?: string | undefined;
  /** Last line, if the outcome depends on more than the document. */
  verdict?: string | undefined;
  /** Path of a file kept along with it. */
  kept?: string | undefined;
  /** Results that it was made from, if available: a page draws them over time. */
  runs?: readonly Result[] | undefined;
}

/** Formats of one kind of document; `ending` holds what the document does not contain. */
export interface Report<Document> {
  /** For a terminal and Markdown. */
  outline: (document: Document, ending: Ending, writer: Writer) => readonly Section[];
  /** Documents, one or several together, as a page. */
  page?: (documents: readonly Document[], ending: Ending) => Page;
  junit?: (document: Document, ending: Ending) => JunitSuite;
  csv?: (document: Document) => string;
  hlog?: (document: Document) => string;
}

/** Adapts a page of a single document; more than one is rejected when files are read. */
export function pageOfOne<Document>(
  view: (document: Document, ending: Ending) => Page,
): (documents: readonly Document[], ending: Ending) => Page {
  return ([document], ending) => {
    if (document === undefined) throw new RangeError('a page shows a document');
    return view(document, ending);
  };
}
