import { printableTexts } from '../base/printable.ts';
import { readPageAssets } from '../edge/path-in-package.ts';
import { assemblePage } from '../report/page/assemble.ts';
import { type Documents, type Kind, pageOf, renderDocument, type Format } from '../report/documents.ts';
import type { Ending } from '../report/outline/report.ts';
import type { Style } from '../report/words/table.ts';

/** How and where a document is shown. */
export interface Rendering extends Ending {
  format: Format;
  style: Style;
}

/** A document in one of its formats, without a line break at its end; `undefined`: it has no such format. */
export async function renderOne<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, style, ...ending }: Rendering,
): Promise<string | undefined> {
  if (format !== 'html') return renderDocument<Each>(document, { format, style, ...ending });
  return renderPage(document.kind, [document], ending);
}

/** Documents of a kind as one page; `undefined`: that kind has none. */
export async function renderPage<Each extends Kind>(
  kind: Each,
  documents: readonly Documents[Each][],
  ending: Ending = {},
): Promise<string | undefined> {
  const page = await pageOf(kind, documents, ending);
  return page === undefined ? undefined : assemblePage(printableTexts(page), await readPageAssets()).trimEnd();
}
