import { parseJson } from '../base/json.ts';
import { ChatLoadError } from '../base/errors.ts';
import { printableTexts } from '../base/printable.ts';
import { marksOf, parseDocument } from '../edge/disk/parse-document.ts';
import { readText, requireDocument } from '../edge/disk/read-result.ts';
import { UnreadableHistogram } from '../record/sparse-histogram.ts';
import {
  schemaOf,
  type Documents,
  type Kind,
  type Format,
  type TextFormat,
  formatsOf,
  kinds,
} from '../report/documents.ts';
import type { Style } from '../report/words/table.ts';
import { renderOne, renderPage, type Rendering } from './render-document.ts';

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
  return renderText({ file, text, kind: kindOfText(text), format }, { style, redact });
}

/** Renders the documents in files as one page. Throws as `renderFile` does, and a usage error for files of several kinds. */
export async function renderFilesAsPage(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readText(file) })));
  const [kind = 'chat-load/result', ...others] = new Set(texts.map(({ text }) => kindOfText(text)));
  if (others.length > 0)
    throw new ChatLoadError('usage', {
      message: `The files contain several kinds of documents (${[kind, ...others].map(nameOf).join(', ')}); a page shows one kind.`,
      hint: 'Render several results together, and every other document separately.',
    });
  if (files.length > 1 && kind !== 'chat-load/result')
    throw new ChatLoadError('usage', {
      message: `A page shows one ${nameOf(kind)}, not ${String(files.length)}.`,
      hint: 'Render several results together, and every other document separately.',
    });
  return renderAsPage({ kind, texts });
}

async function renderAsPage<Each extends Kind>({ kind, texts }: PageRequest<Each>): Promise<string> {
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
    if (others.length === 0) throw unreadable(first.file, thrown);
    for (const each of read) await renderRead(kind, [each]);
    throw thrown;
  }
}

function unreadable(file: string, cause: UnreadableHistogram): ChatLoadError {
  return new ChatLoadError('usage', {
    message: `${file} contains a histogram that cannot be read: ${cause.message}.`,
    hint: 'The file was modified, or not written by chat-load: omit it, or measure again.',
    cause,
  });
}

interface Text {
  file: string;
  text: string;
}
interface Read<Each extends Kind> {
  file: string;
  document: Documents[Each];
}
interface PageRequest<Each extends Kind> {
  kind: Each;
  texts: readonly Text[];
}
interface RenderRequest<Each extends Kind> extends Text {
  kind: Each;
  format: TextFormat;
}

async function renderText<Each extends Kind>(
  request: RenderRequest<Each>,
  { style, redact }: { style: Style; redact: Redact },
): Promise<string> {
  const { file, text, kind, format } = request;
  const schema = await schemaOf(kind);
  const document = redact(requireDocument(file, parseDocument(text, kind, schema)));
  return renderAny(file, document, { format, style, path: file });
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
  const known = formatsOf(kind);
  return new ChatLoadError('usage', {
    message: `${file} is a ${nameOf(kind)}, which has no format ${format}.`,
    hint: `Formats of a ${nameOf(kind)}: ${known.join(', ')}.`,
  });
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
  return isKind(kind) ? kind : 'chat-load/result';
}

const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && kinds.includes(kind as Kind);
