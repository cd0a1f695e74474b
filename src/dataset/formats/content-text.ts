import { isObject } from '../../base/is-object.ts';
import { Unreadable } from './format.ts';

/** What stands between the parts of a message that are texts. */
const between = '\n\n';

/** Types of parts that are what somebody said; images, tool calls, thoughts and files are not. */
const textTypes: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/**
 * The text of a message's content: a text, `null`, or parts such as `{"type": "text", "text": "…"}`, of which those that
 * are texts count. Throws `Unreadable` for anything else.
 */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (isObject(content)) return partText(content);
  if (!Array.isArray(content)) throw new Unreadable('otherForm', 'the content of a message is neither text nor parts');
  return content
    .map((part: unknown) => (typeof part === 'string' ? part : isObject(part) ? partText(part) : ''))
    .filter((text) => text !== '')
    .join(between);
}

function partText(part: Record<string, unknown>): string {
  return textTypes.has(part['type']) && typeof part['text'] === 'string' ? part['text'] : '';
}

/** The parts of a content that has some. */
export function partsOf(content: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}
