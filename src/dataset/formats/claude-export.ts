import { contentText } from './content-text.ts';
import { recordByRecord, type DatasetFormat } from './format.ts';
import { isListOf, objectsOf, textField } from './read-messages.ts';
import { roleOf } from './role-of.ts';

/** conversations.json of an export of claude.ai; names of conversations and accounts are left out. */
export const claudeExport: DatasetFormat = {
  shape: '{"uuid", "name", "chat_messages": [{"sender": "human" | "assistant", "text", "content": [blocks]}]}',
  fields: ['uuid', 'chat_messages'],
  fit: ({ chat_messages: messages }) => (isListOf(messages, 'sender') ? 'certain' : 'no'),
  open: recordByRecord((record) => ({
    id: textField(record, 'uuid'),
    messages: objectsOf(record['chat_messages'], 'chat_messages').map(({ sender, text, content }) => ({
      role: roleOf(sender),
      // `text` repeats the blocks with notes about tools between them.
      text: contentText(content) || contentText(text),
    })),
  })),
};
