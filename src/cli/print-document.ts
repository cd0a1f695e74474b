import type { Format } from '../report/formats.ts';
import { renderOne } from '../app/render-document.ts';
import type { Documents, Kind } from '../report/documents.ts';
import type { Ending } from '../report/words/renderer.ts';
import type { Style } from '../report/words/table.ts';
import { stdout, withoutSecrets } from './terminal.ts';

/** Renders a document, for standard output unless a style says where, without a line break at its end. */
export async function documentText<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  format: Format,
  { style = stdout, ...ending }: Ending & { style?: Style } = {},
): Promise<string> {
  const text = await renderOne<Each>(withoutSecrets(document), { format, style, ...ending });
  if (text === undefined) throw new Error(`${document.kind} has no format ${format}`);
  return text;
}

/** Prints a document on standard output. */
export async function printDocument<Each extends Kind>(
  ...[document, format, ending]: Parameters<typeof documentText<Each>>
): Promise<void> {
  stdout.line(await documentText<Each>(document, format, ending));
}
