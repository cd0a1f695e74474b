import { isObject } from '../../base/is-object.ts';
import { partsOf, isListOf, objectsOf, readMessages, textField } from './read-messages.ts';
import { recordByRecord, type DatasetFormat, type Fields, type RawMessage } from './format.ts';

/**
 * Files for fine-tuning (chat, or preferences: the preferred answer counts), lines of a batch, and conversations as this
 * tool writes them. Calls of tools, images and weights are left out.
 */
export const openai: DatasetFormat = {
  shape:
    '{"messages": [{"role": "system" | "user" | "assistant" | "tool", "content": "…" or parts}], "tools", "id", "language"}',
  fields: ['messages', 'input', 'preferred_output', 'body', 'custom_id', 'id', 'language', 'tools', 'functions'],
  fit: (record) => {
    const { messages } = bodyOf(record);
    if (!isListOf(messages, 'role')) return 'no';
    if (messages.some(({ role, content }) => role === 'tool' && content === undefined)) return 'no';
    return isCertain(record, messages) ? 'certain' : 'possible';
  },
  open: recordByRecord((record) => {
    const { messages } = bodyOf(record);
    return {
      id: textField(record, 'id', 'custom_id'),
      language: textField(record, 'language'),
      messages: [...readMessages(messages, 'messages'), ...preferredOf(record)],
    };
  }),
};

/** The request of a line of a batch, the input of a preference, or the record itself. */
function bodyOf(record: Fields): Fields {
  if (isObject(record['body'])) return record['body'];
  return isObject(record['input']) && record['messages'] === undefined ? record['input'] : record;
}

const preferredOf = ({ preferred_output: preferred }: Fields): readonly RawMessage[] =>
  preferred === undefined ? [] : readMessages(objectsOf(preferred, 'preferred_output'), 'preferred_output');

const isCertain = (record: Fields, messages: readonly Record<string, unknown>[]): boolean =>
  record['body'] !== undefined ||
  record['input'] !== undefined ||
  record['functions'] !== undefined ||
  messages.some(
    ({ role, tool_calls: calls, weight, content }) =>
      ownRoles.has(role) ||
      calls !== undefined ||
      weight !== undefined ||
      partsOf(content).some(({ type }) => type === 'image_url' || type === 'input_audio'),
  );

/** Roles that others of this form do not have. */
const ownRoles: ReadonlySet<unknown> = new Set(['system', 'developer', 'tool', 'function']);
