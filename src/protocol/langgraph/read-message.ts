import { isObject } from '../../base/is-object.ts';
import type { Fields } from '../model-api/read-reply.ts';
import type { Notes } from '../notes.ts';

/** Types of messages by other names: classes of LangChain, and roles. */
const typesByName: Readonly<Record<string, string>> = {
  AIMessage: 'ai',
  assistant: 'ai',
  HumanMessage: 'human',
  HumanMessageChunk: 'human',
  user: 'human',
  ToolMessage: 'tool',
  ToolMessageChunk: 'tool',
  SystemMessage: 'system',
};

/** Returns a message with its type; `undefined` for a value that is not an object. Notes messages in another form than the API's. */
export function messageOf(value: unknown, notes: Notes): Fields | undefined {
  if (!isObject(value)) return undefined;
  const { type, role, kwargs, data, id } = value;
  const isWrapped = isObject(kwargs) || isObject(data);
  const given = isObject(kwargs) && Array.isArray(id) ? (id.at(-1) as unknown) : (type ?? role);
  if (typeof given !== 'string') return value;
  const known = Object.hasOwn(typesByName, given) ? typesByName[given] : given;
  if (known === type && !isWrapped) return value;
  notes.add('old_form', `a message of the type ${given}`);
  const fields = isObject(kwargs) ? kwargs : isObject(data) ? data : value;
  return { ...fields, type: known };
}

/** Reports whether a message is a reply of a model. `AIMessageChunk` is its form in streams of the Python server. */
export function isOfModel({ type }: Fields): boolean {
  return type === 'ai' || type === 'AIMessageChunk';
}

/** Returns the text of a content: a text, or parts of which those with a text of the answer count. */
export function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  return Array.isArray(content) ? content.map(textOf).join('') : undefined;
}

function textOf(part: unknown): string {
  if (typeof part === 'string') return part;
  return isObject(part) && typeof part['text'] === 'string' && !isReasoningType(part['type']) ? part['text'] : '';
}

/** Reports whether a part of a message is reasoning, in the two forms in which LangChain passes it on. */
export function isReasoning({ content, additional_kwargs: more }: Fields): boolean {
  if (isObject(more) && typeof more['reasoning_content'] === 'string') return more['reasoning_content'] !== '';
  return Array.isArray(content) && content.some((part: unknown) => isObject(part) && isReasoningType(part['type']));
}

const isReasoningType = (type: unknown): boolean => type === 'reasoning' || type === 'thinking';

/** Returns the reason to end of a model's message, in the field of its vendor. */
export function reasonIn({ response_metadata: metadata }: Fields): unknown {
  if (!isObject(metadata)) return undefined;
  return metadata['finish_reason'] ?? metadata['stop_reason'] ?? metadata['done_reason'] ?? metadata['finishReason'];
}
