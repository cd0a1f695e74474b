import type { Result } from '../../result/result.ts';
import type { Page } from '../page/page.ts';
import type { JunitSuite } from '../words/junit.ts';
import type { Section, Writer } from './outline.ts';

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

/** How a kind of document reads in its formats; `ending` has what is not in the document. */
export interface Report<Document> {
  /** For a terminal and Markdown. */
  outline: (document: Document, ending: Ending, writer: Writer) => readonly Section[];
  /** Documents, one or several together, as a page. */
  page?: (documents: readonly Document[], ending: Ending) => Page;
  junit?: (document: Document, ending: Ending) => JunitSuite;
  csv?: (document: Document) => string;
  hlog?: (document: Document) => string;
}

/** A page that shows one document; several are refused where files are read. */
export function pageOfOne<Document>(
  view: (document: Document, ending: Ending) => Page,
): (documents: readonly Document[], ending: Ending) => Page {
  return ([document], ending) => {
    if (document === undefined) throw new RangeError('a page shows a document');
    return view(document, ending);
  };
}
