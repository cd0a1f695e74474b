import { ChatLoadError } from '../base/errors.ts';
import { printableTexts } from '../base/printable.ts';
import { marksOf, parseDocument } from '../edge/disk/parse-document.ts';
import { readText, requireDocument } from '../edge/disk/read-result.ts';
import type { Format } from '../report/words/formats.ts';
import { renderers, type Kind } from '../report/renderers.ts';
import type { Style } from '../report/words/table.ts';

/**
 * Renders the document in a file again, without a line break at its end. Throws a usage error where it is none that can
 * be rendered, or not in that format, and `not_comparable` for a version that cannot be read.
 */
export async function renderFile(file: string, format: Format, style: Style): Promise<string> {
  const text = await readText(file);
  return renderText({ file, text, kind: kindOf(text), format }, style);
}

interface Asked<Each extends Kind> {
  file: string;
  text: string;
  kind: Each;
  format: Format;
}

async function renderText<Each extends Kind>(asked: Asked<Each>, style: Style): Promise<string> {
  const { file, text, kind, format } = asked;
  const { schema, formats } = await renderers[kind]();
  const document = requireDocument(file, parseDocument(text, kind, schema));
  const render = formats[format];
  // Anybody may have written the file; JSON escapes what could do harm and stays the same document.
  const shown = format === 'json' ? document : printableTexts(document);
  if (render !== undefined) return render(shown, style, { path: file }).trimEnd();
  const word = kind.slice('chat-load/'.length);
  throw new ChatLoadError('usage', {
    message: `${file} is a ${word}, which has no format ${format}.`,
    hint: `Formats of a ${word}: ${Object.keys(formats).join(', ')}.`,
  });
}

/** The kind that a text states, otherwise a result; the reader finds what is wrong with it. */
function kindOf(text: string): Kind {
  try {
    const { kind } = marksOf(JSON.parse(text));
    return isKind(kind) ? kind : 'chat-load/result';
  } catch {
    return 'chat-load/result';
  }
}

const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(renderers, kind);
