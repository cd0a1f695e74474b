import { parseJson } from '../base/json.ts';
import { ChatLoadError } from '../base/errors.ts';
import { printableTexts } from '../base/printable.ts';
import { marksOf, parseDocument } from '../edge/disk/parse-document.ts';
import { readText, requireDocument } from '../edge/disk/read-result.ts';
import { UnreadableHistogram } from '../record/sparse-histogram.ts';
import { schemas, type Documents, type Kind, type Format, type TextFormat, formatsOf } from '../report/documents.ts';
import type { Style } from '../report/words/table.ts';
import { renderOne, renderPage, type Rendering } from './render-document.ts';

/** Takes secrets out of a document before it is rendered. */
type Redact = <Document>(document: Document) => Document;

/**
 * Renders the document in a file again, without a line break at its end. Throws a usage error where it is none that can
 * be rendered, or not in that format, and `not_comparable` for a version that cannot be read.
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
      message: `The files are of several kinds (${[kind, ...others].map(wordOf).join(', ')}): a page shows one.`,
      hint: 'Give results together, and every other document by itself.',
    });
  if (files.length > 1 && kind !== 'chat-load/result')
    throw new ChatLoadError('usage', {
      message: `A page shows one ${wordOf(kind)}; ${String(files.length)} were given.`,
      hint: 'Several results can be on one page; give every other document by itself.',
    });
  return renderAsPage({ kind, texts });
}

async function renderAsPage<Each extends Kind>({ kind, texts }: AskedPage<Each>): Promise<string> {
  const schema = await schemas[kind]();
  const read = texts.map(({ file, text }) => ({
    file,
    document: requireDocument(file, parseDocument(text, kind, schema)),
  }));
  const page = await renderRead(kind, read);
  if (page !== undefined) return page;
  throw noFormat(texts[0]?.file ?? '', kind, 'html');
}

/** Throws a usage error that names the first file with a histogram that cannot be read. */
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
    hint: 'It was changed after it was written, or not written by chat-load: leave it out, or measure again.',
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
interface AskedPage<Each extends Kind> {
  kind: Each;
  texts: readonly Text[];
}
interface Asked<Each extends Kind> extends Text {
  kind: Each;
  format: TextFormat;
}

async function renderText<Each extends Kind>(
  asked: Asked<Each>,
  { style, redact }: { style: Style; redact: Redact },
): Promise<string> {
  const { file, text, kind, format } = asked;
  const schema = await schemas[kind]();
  const document = redact(requireDocument(file, parseDocument(text, kind, schema)));
  return renderAny(file, document, { format, style, path: file });
}

/** Renders a document that anybody may have written. Throws a usage error, which begins with its name, where it has no such format. */
export async function renderAny(name: string, document: Documents[Kind], rendering: Rendering): Promise<string> {
  const { format } = rendering;
  // JSON escapes what could do harm and stays the same document.
  const shown = format === 'json' ? document : printableTexts(document);
  const text = await renderOne(shown, rendering);
  if (text !== undefined) return text;
  throw noFormat(name, document.kind, format);
}

const wordOf = (kind: Kind): string => kind.slice('chat-load/'.length);

function noFormat(file: string, kind: Kind, format: Format): ChatLoadError {
  const known = formatsOf(kind);
  return new ChatLoadError('usage', {
    message: `${file} is a ${wordOf(kind)}, which has no format ${format}.`,
    hint: `Formats of a ${wordOf(kind)}: ${known.join(', ')}.`,
  });
}

/** The kind that a text states, otherwise a result; the reader finds what is wrong with it. */
function kindOfText(text: string): Kind {
  try {
    return kindOf(parseJson(text));
  } catch {
    return 'chat-load/result';
  }
}

/** The kind that a document states, otherwise a result. */
export function kindOf(document: unknown): Kind {
  const { kind } = marksOf(document);
  return isKind(kind) ? kind : 'chat-load/result';
}

const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(schemas, kind);
