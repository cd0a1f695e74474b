import { isObject } from '../../base/is-object.ts';
import { partsIn, partText } from '../model-api/content-parts.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { inputText } from '../model-api/tool-input.ts';
import type { Notes } from '../notes.ts';
import type { ToolCall } from '../protocol.ts';

/** Returns the parts of a candidate; none without a content, which a filter may remove. */
export function partsOf({ content = null }: Fields, notes: Notes): readonly Fields[] | undefined {
  if (content === null) return none;
  if (isObject(content) && content['text'] === undefined) return partsIn(content['parts'] ?? none, notes);
  notes.add('content_text');
  return partsIn(content, notes);
}

const none: readonly Fields[] = [];

/** Returns the text of the answer: without thoughts; `undefined` if a text is not one. */
export function textOf(parts: readonly Fields[], notes: Notes): string | undefined {
  let all = '';
  for (const { text, thought } of parts) {
    if (text === undefined || thought === true) continue;
    const added = partText(text, notes);
    if (added === undefined) return undefined;
    all += added;
  }
  return all;
}

export function isThought({ thought, text }: Fields): boolean {
  return thought === true && text !== '';
}

export function isCall({ functionCall = null }: Fields): boolean {
  return functionCall !== null;
}

/** Returns a call; `index` counts the calls of the reply. */
export function readCall(part: Fields, index: number, notes: Notes): ToolCall | undefined {
  const { functionCall: call, thoughtSignature } = part;
  if (!isObject(call) || typeof call['name'] !== 'string') return undefined;
  const id = typeof call['id'] === 'string' && call['id'] !== '' ? call['id'] : `unnamed-${String(index + 1)}`;
  const signature = typeof thoughtSignature === 'string' ? thoughtSignature : undefined;
  const text = inputText(call['args'], notes);
  return text === undefined ? undefined : { id, name: call['name'], arguments: text, signature };
}
