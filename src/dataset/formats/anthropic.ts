import { isObject } from '../../base/is-object.ts';
import { contentText, partsOf, isListOf, objectsOf, textField, roleOf } from './read-messages.ts';
import { recordByRecord, type DatasetFormat, type Fields, type RawMessage } from './format.ts';

/** Bodies of the Messages API: alone, as a line of a batch (`params`), or in a transcript with the reply. */
export const anthropic: DatasetFormat = {
  shape:
    '{"model", "max_tokens", "system", "messages": [{"role": "user" | "assistant", "content": "…" or blocks}]}, or {"request", "response"}',
  fields: ['system', 'messages', 'params', 'request', 'response', 'custom_id', 'id', 'language'],
  fit: (record) => {
    const body = bodyOf(record);
    const { messages } = body;
    if (!isListOf(messages, 'role', 'content')) return 'no';
    if (!messages.every(({ role }) => role === 'user' || role === 'assistant')) return 'no';
    return isCertain(body, record) ? 'certain' : 'possible';
  },
  open: recordByRecord((record) => {
    const { system, messages } = bodyOf(record);
    return {
      id: textField(record, 'id', 'custom_id'),
      language: textField(record, 'language'),
      messages: [
        { role: 'system', text: contentText(system) },
        ...objectsOf(messages, 'messages').map(messageOf),
        ...replyOf(record['response']),
      ],
    };
  }),
};

const bodyOf = (record: Fields): Fields =>
  isObject(record['params']) ? record['params'] : isObject(record['request']) ? record['request'] : record;

/** Results of tools come as messages of the user, who said nothing. */
function messageOf({ role, content }: Record<string, unknown>): RawMessage {
  const text = contentText(content);
  const results = partsOf(content).filter(({ type }) => type === 'tool_result');
  if (text !== '' || results.length === 0) return { role: roleOf(role), text };
  return { role: 'tool', text: results.map((result) => contentText(result['content'])).join('\n\n') };
}

const replyOf = (response: unknown): readonly RawMessage[] =>
  isObject(response) ? [{ role: 'assistant', text: contentText(response['content']) }] : [];

const isCertain = (body: Fields, record: Fields): boolean =>
  body !== record ||
  body['system'] !== undefined ||
  (isListOf(body['messages']) &&
    body['messages'].some(({ content }) => partsOf(content).some(({ type }) => ownBlocks.has(type))));

const ownBlocks: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'image',
  'document',
  'server_tool_use',
]);
