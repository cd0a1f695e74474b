import { printableTexts } from '../base/printable.ts';
import { readPageAssets } from '../edge/path-in-package.ts';
import { assemblePage } from '../report/page/assemble.ts';
import { type Documents, type Kind, pageOf, renderDocument, type Format } from '../report/documents.ts';
import type { Ending } from '../report/outline/report.ts';
import type { Style } from '../report/words/table.ts';

/** Format and style of a rendered document. */
export interface Rendering extends Ending {
  format: Format;
  style: Style;
}

/** Renders a document without a final line break; returns `undefined` for an unsupported format. */
export async function renderOne<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, style, ...ending }: Rendering,
): Promise<string | undefined> {
  if (format !== 'html') return renderDocument<Each>(document, { format, style, ...ending });
  return renderPage(document.kind, [document], ending);
}

/** Renders documents of a kind as one page; returns `undefined` if the kind has no page. */
export async function renderPage<Each extends Kind>(
  kind: Each,
  documents: readonly Documents[Each][],
  ending: Ending = {},
): Promise<string | undefined> {
  const page = await pageOf(kind, documents, ending);
  return page === undefined ? undefined : assemblePage(printableTexts(page), await readPageAssets()).trimEnd();
}
