import { parseJson } from '../base/json.ts';
import { type ChatLoadError, usageError } from '../base/errors.ts';
import { printableTexts } from '../base/printable.ts';
import { marksOf, parseDocument } from '../edge/disk/parse-document.ts';
import { readText, requireDocument } from '../edge/disk/read-result.ts';
import { UnreadableHistogram } from '../record/sparse-histogram.ts';
import {
  kinds,
  schemaOf,
  type Annotations,
  type Documents,
  type Kind,
  type Format,
  type TextFormat,
  formatsOf,
  pageOf,
  renderDocument,
} from '../report/documents.ts';
import type { Style } from '../report/words/table.ts';
import { readPageAssets } from '../edge/path-in-package.ts';
import { assemblePage } from '../report/page/assemble.ts';
import type { Ending } from '../report/outline/report.ts';

/** Removes secrets from a document before it is rendered. */
type Redact = <Document>(document: Document) => Document;

/**
 * Renders the document in a file without a final line break. Throws a usage error for an invalid document or an
 * unsupported format, and `not_comparable` for an unsupported version.
 */
export async function renderFile(
  file: string,
  format: TextFormat,
  style: Style,
  redact: Redact = (document) => document,
): Promise<string> {
  const text = await readText(file);
  return renderText({ kind: kindOfText(text) }, { file, text }, { format, style, redact });
}

/** Renders the documents in files as one page. Throws as `renderFile` does, and a usage error for files of several kinds. */
export async function renderFilesAsPage(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readText(file) })));
  const [kind = 'chat-load/result', ...others] = new Set(texts.map(({ text }) => kindOfText(text)));
  if (others.length > 0)
    throw usageError(
      `The files contain several kinds of documents (${[kind, ...others].map(nameOf).join(', ')}); a page shows one kind.`,
      'Render several results together, and every other document separately.',
    );
  if (files.length > 1 && kind !== 'chat-load/result')
    throw usageError(
      `A page shows one ${nameOf(kind)}, not ${String(files.length)}.`,
      'Render several results together, and every other document separately.',
    );
  return renderAsPage({ kind }, texts);
}

async function renderAsPage<Each extends Kind>({ kind }: Stated<Each>, texts: readonly Text[]): Promise<string> {
  const schema = await schemaOf(kind);
  const read = texts.map(({ file, text }) => ({
    file,
    document: requireDocument(file, parseDocument(text, kind, schema)),
  }));
  const page = await renderRead(kind, read);
  if (page !== undefined) return page;
  throw noFormat(texts[0]?.file ?? '', kind, 'html');
}

/** Renders documents as a page. Throws a usage error that names the first file with an unreadable histogram. */
async function renderRead<Each extends Kind>(kind: Each, read: readonly Read<Each>[]): Promise<string | undefined> {
  const documents = read.map(({ document }) => document);
  try {
    return await renderPage(kind, documents);
  } catch (thrown) {
    const [first, ...others] = read;
    if (!(thrown instanceof UnreadableHistogram) || first === undefined) throw thrown;
    if (others.length === 0)
      throw usageError(
        `${first.file} contains a histogram that cannot be read: ${thrown.message}.`,
        'The first.file was modified, or not written by chat-load: omit it, or measure again.',
        thrown,
      );
    for (const each of read) await renderRead(kind, [each]);
    throw thrown;
  }
}

interface Text {
  file: string;
  text: string;
}
/** Kind of a document, as stated in its text. */
interface Stated<Each extends Kind> {
  kind: Each;
}

interface Read<Each extends Kind> {
  file: string;
  document: Documents[Each];
}

async function renderText<Each extends Kind>(
  { kind }: Stated<Each>,
  { file, text }: Text,
  { redact, ...rendering }: Rendering & { redact: Redact },
): Promise<string> {
  const schema = await schemaOf(kind);
  const document = redact(requireDocument(file, parseDocument(text, kind, schema)));
  return renderAny(file, document, { ...rendering, path: file });
}

/** Renders an untrusted document. Throws a usage error that starts with its name for an unsupported format. */
export async function renderAny(name: string, document: Documents[Kind], rendering: Rendering): Promise<string> {
  const { format } = rendering;
  // JSON escapes harmful characters and stays the same document.
  const shown = format === 'json' ? document : printableTexts(document);
  const text = await renderOne(shown, rendering);
  if (text !== undefined) return text;
  throw noFormat(name, document.kind, format);
}

const nameOf = (kind: Kind): string => kind.slice('chat-load/'.length);

function noFormat(file: string, kind: Kind, format: Format): ChatLoadError {
  return usageError(
    `${file} is a ${nameOf(kind)}, which has no format ${format}.`,
    `Formats of a ${nameOf(kind)}: ${formatsOf(kind).join(', ')}.`,
  );
}

/** Returns the kind stated in a text, otherwise a result, whose reader reports the problem. */
function kindOfText(text: string): Kind {
  try {
    return kindOf(parseJson(text));
  } catch {
    return 'chat-load/result';
  }
}

/** Returns the kind stated in a document, otherwise a result. */
export function kindOf(document: unknown): Kind {
  const { kind } = marksOf(document);
  return kinds().find((each) => each === kind) ?? 'chat-load/result';
}

interface Rendering extends Ending {
  format: Format;
  style: Style;
}

/** Renders a document without a final line break; returns `undefined` for an unsupported format. */
export async function renderOne<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, style, ...ending }: Omit<Rendering, 'format'> & { format: Format | Annotations },
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
