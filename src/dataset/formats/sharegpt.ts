import { contentText } from './content-text.ts';
import { recordByRecord, type DatasetFormat, type Fields } from './format.ts';
import { isListOf, objectsOf, readMessages, textField } from './read-messages.ts';
import { roleOf } from './role-of.ts';

/** The export of the extension, as Vicuna's and LLaMA-Factory's sets have it; some of them say `role` and `content`. */
export const sharegpt: DatasetFormat = {
  shape: '{"id", "conversations": [{"from": "human" | "gpt", "value": "…"}]}',
  fields: ['id', 'conversations', 'system', 'lang', 'language'],
  fit: ({ conversations }) =>
    isListOf(conversations, 'from', 'value') || isListOf(conversations, 'role', 'content') ? 'certain' : 'no',
  open: recordByRecord((record) => ({
    id: textField(record, 'id'),
    language: textField(record, 'language', 'lang'),
    messages: [...systemOf(record), ...messagesOf(record['conversations'])],
  })),
};

const systemOf = ({ system }: Fields) => [{ role: 'system' as const, text: contentText(system) }];

const messagesOf = (conversations: unknown) =>
  isListOf(conversations, 'role', 'content')
    ? readMessages(conversations, 'conversations')
    : objectsOf(conversations, 'conversations').map(({ from, value }) => ({
        role: roleOf(from),
        // A call of a tool is nothing that anybody said.
        text: from === 'function_call' ? '' : contentText(value),
      }));
