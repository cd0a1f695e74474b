import { isObject } from '../../base/is-object.ts';
import type { Fields } from './read-reply.ts';
import { Notes } from '../notes.ts';

/** Content of a message or a delta: the text of the answer, and whether there is reasoning besides it. */
interface Content {
  text: string;
  hasReasoning: boolean;
}

const none: Content = { text: '', hasReasoning: false };

/** Returns the content of a message or a delta: a text, a list of parts, or null; `undefined` for another value. */
export function contentIn({ content = null }: Fields, notes: Notes): Content | undefined {
  if (content === null) return none;
  if (typeof content === 'string') return { text: content, hasReasoning: false };
  if (typeof content !== 'object') return undefined;
  notes.add('content_parts');
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return { text: parts.map(textOf).join(''), hasReasoning: parts.some(isReasoning) };
}

/**
 * Returns the parts of a content that is described as a list: also of a text, of one part, and of a list with texts; `undefined`
 * for another value.
 */
export function partsIn(content: unknown, notes: Notes): readonly Fields[] | undefined {
  if (Array.isArray(content)) return content.every(isObject) ? content : textsToParts(content, notes);
  if (typeof content !== 'string' && !isObject(content)) return undefined;
  notes.add('content_text');
  return [partOf(content)];
}

function textsToParts(content: readonly unknown[], notes: Notes): readonly Fields[] | undefined {
  notes.add('part_form');
  return content.every((part) => typeof part === 'string' || isObject(part)) ? content.map(partOf) : undefined;
}

const partOf = (part: string | Fields): Fields => (typeof part === 'string' ? { type: 'text', text: part } : part);

/** Returns the text of a part or of a delta, which may itself be in parts, or null; `undefined` for another value. */
export function partText(text: unknown, notes: Notes): string | undefined {
  if (typeof text === 'string') return text;
  notes.add('part_form');
  return contentIn({ content: text }, new Notes())?.text;
}

/** Returns the text of a part of the answer; '' for reasoning, references, calls and other parts. */
function textOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part) || isReasoning(part)) return '';
  const { type, refusal, content } = part;
  if (type === 'refusal') return typeof refusal === 'string' ? refusal : '';
  if (type !== undefined && (typeof type !== 'string' || !textType.test(type))) return '';
  const { text = content } = part;
  // The text of an assistant has annotations besides its value.
  const value = isObject(text) ? text['value'] : text;
  return typeof value === 'string' ? value : '';
}

/** Matches `text`, `output_text`, `text_delta` and the like. */
const textType = /^(?:[a-z]{1,20}_)?text(?:[._]delta)?$/i;

const isReasoning = (part: unknown): boolean =>
  isObject(part) &&
  (part['thought'] === true ||
    (typeof part['type'] === 'string' && /thinking|reasoning|summary/.test(part['type'].slice(0, 40))));
