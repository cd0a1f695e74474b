import { ChatLoadError } from '../base/errors.ts';
import { marksOf, parseDocument } from '../edge/disk/parse-document.ts';
import { readText, requireDocument } from '../edge/disk/read-result.ts';
import type { Format } from '../report/formats.ts';
import { renderers, type Renderable } from '../report/renderers.ts';
import type { Style } from '../report/words/table.ts';

/**
 * Renders the document in a file again. Throws a usage error where it is none that can be rendered, or not in that
 * format, and `not_comparable` for a version that cannot be read.
 */
export async function renderFile(file: string, format: Format, style: Style): Promise<string> {
  const text = await readText(file);
  switch (kindOf(text)) {
    case 'chat-load/comparison':
      return render({ file, text, kind: 'chat-load/comparison', format }, renderers['chat-load/comparison'], style);
    case 'chat-load/trend':
      return render({ file, text, kind: 'chat-load/trend', format }, renderers['chat-load/trend'], style);
    case 'chat-load/calibration':
      return render({ file, text, kind: 'chat-load/calibration', format }, renderers['chat-load/calibration'], style);
    default:
      return render({ file, text, kind: 'chat-load/result', format }, renderers['chat-load/result'], style);
  }
}

interface Asked {
  file: string;
  text: string;
  kind: keyof typeof renderers;
  format: Format;
}

function render<Document>(asked: Asked, { schema, formats }: Renderable<Document>, style: Style): string {
  const { file, text, kind, format } = asked;
  const document = requireDocument(file, parseDocument(text, kind, schema));
  const renderer = formats[format];
  if (renderer !== undefined) return renderer(document, style);
  const word = kind.slice('chat-load/'.length);
  throw new ChatLoadError('usage', {
    message: `${file} is a ${word}, which has no format ${format}.`,
    hint: `Formats of a ${word}: ${Object.keys(formats).join(', ')}.`,
  });
}

/** The kind that a text declares; reading it finds what is wrong. */
function kindOf(text: string): unknown {
  try {
    return marksOf(JSON.parse(text)).kind;
  } catch {
    return undefined;
  }
}
