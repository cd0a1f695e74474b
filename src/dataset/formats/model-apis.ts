import { isObject } from '../../base/is-object.ts';
import { recordByRecord, type DatasetFormat, type Fields, type RawMessage } from './format.ts';
import { contentText, isListOf, objectsOf, partsOf, readMessages, roleOf, textField } from './read-messages.ts';

/**
 * Files for fine-tuning (chat, or preferences: the preferred answer is used), lines of a batch, and conversations as
 * chat-load writes them. Omits tool calls, images and weights.
 */
export const openai: DatasetFormat = {
  shape:
    '{"messages": [{"role": "system" | "user" | "assistant" | "tool", "content": "…" or parts}], "tools", "id", "language"}',
  fields: ['messages', 'input', 'preferred_output', 'body', 'custom_id', 'id', 'language', 'tools', 'functions'],
  fit: (record) => {
    const { messages } = requestOf(record);
    if (!isListOf(messages, 'role')) return 'no';
    if (messages.some(({ role, content }) => role === 'tool' && content === undefined)) return 'no';
    const isOwn =
      ['body', 'input', 'functions'].some((name) => record[name] !== undefined) || messages.some(isOpenaiMessage);
    return isOwn ? 'certain' : 'possible';
  },
  open: recordByRecord((record) => {
    const { preferred_output: preferred } = record;
    return {
      id: textField(record, 'id', 'custom_id'),
      language: textField(record, 'language'),
      messages: [
        ...readMessages(requestOf(record)['messages'], 'messages'),
        ...(preferred === undefined ? [] : readMessages(preferred, 'preferred_output')),
      ],
    };
  }),
};

/** Returns the request of a line of a batch, the input of a preference, or the record itself. */
function requestOf(record: Fields): Fields {
  if (isObject(record['body'])) return record['body'];
  return isObject(record['input']) && record['messages'] === undefined ? record['input'] : record;
}

const isOpenaiMessage = ({ role, tool_calls: calls, weight, content }: Fields): boolean =>
  openaiRoles.has(role) ||
  calls !== undefined ||
  weight !== undefined ||
  partsOf(content).some(({ type }) => type === 'image_url' || type === 'input_audio');

/** Roles that other forms of `messages` do not have. */
const openaiRoles: ReadonlySet<unknown> = new Set(['system', 'developer', 'tool', 'function']);

/** Bodies of the Messages API: alone, in a line of a batch (`params`), or in a transcript with the reply. */
export const anthropic: DatasetFormat = {
  shape:
    '{"model", "max_tokens", "system", "messages": [{"role": "user" | "assistant", "content": "…" or blocks}]}, or {"request", "response"}',
  fields: ['system', 'messages', 'params', 'request', 'response', 'custom_id', 'id', 'language'],
  fit: (record) => {
    const body = bodyOf(record);
    const { system, messages } = body;
    if (!isListOf(messages, 'role', 'content')) return 'no';
    if (!messages.every(({ role }) => role === 'user' || role === 'assistant')) return 'no';
    const hasBlocks = messages.some(({ content }) => partsOf(content).some(({ type }) => anthropicBlocks.has(type)));
    return body !== record || system !== undefined || hasBlocks ? 'certain' : 'possible';
  },
  open: recordByRecord((record) => {
    const { system, messages } = bodyOf(record);
    const { response } = record;
    return {
      id: textField(record, 'id', 'custom_id'),
      language: textField(record, 'language'),
      messages: [
        { role: 'system', text: contentText(system) },
        ...objectsOf(messages, 'messages').map(anthropicMessage),
        ...(isObject(response) ? [{ role: 'assistant' as const, text: contentText(response['content']) }] : []),
      ],
    };
  }),
};

const bodyOf = (record: Fields): Fields =>
  isObject(record['params']) ? record['params'] : isObject(record['request']) ? record['request'] : record;

/** Tool results are sent as user messages without text. */
function anthropicMessage({ role, content }: Fields): RawMessage {
  const text = contentText(content);
  const results = partsOf(content).filter(({ type }) => type === 'tool_result');
  if (text !== '' || results.length === 0) return { role: roleOf(role), text };
  return { role: 'tool', text: results.map((result) => contentText(result['content'])).join('\n\n') };
}

const anthropicBlocks: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'image',
  'document',
  'server_tool_use',
]);
