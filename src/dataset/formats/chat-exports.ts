import { contentText, isListOf, objectsOf, readMessages, textField, roleOf } from './read-messages.ts';
import { type DatasetFormat, type Fields, type Fit, recordByRecord } from './format.ts';

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

/** LMSYS-Chat-1M. Of each record its model, moderation and the mark of redacted names are left out. */
export const lmsys: DatasetFormat = {
  shape:
    '{"conversation_id", "model", "conversation": [{"role", "content"}], "turn", "language", "openai_moderation", "redacted"}',
  fields: ['conversation_id', 'conversation', 'language'],
  fit: (record) => fitOf(record, false),
  open: recordByRecord(({ conversation, ...record }) => ({
    id: textField(record, 'conversation_id'),
    language: textField(record, 'language'),
    messages: readMessages(conversation, 'conversation'),
  })),
};

/** WildChat: what it says of people (hashed addresses, headers, country, state) is left out. */
export const wildchat: DatasetFormat = {
  shape:
    '{"conversation_hash", "model", "timestamp", "conversation": [{"role", "content", "language", "toxic", "hashed_ip", …}], "language", "country", …}',
  fields: ['conversation_hash', 'conversation_id', 'conversation', 'language'],
  fit: (record) => fitOf(record, true),
  open: recordByRecord(({ conversation, ...record }) => ({
    id: textField(record, 'conversation_hash', 'conversation_id'),
    language: textField(record, 'language'),
    messages: readMessages(conversation, 'conversation'),
  })),
};

/** Both have the same two names in the same places; only WildChat says of every message whether it is toxic, and its own language. */
function fitOf({ conversation, conversation_hash: hash }: Fields, isWild: boolean): Fit {
  if (!isListOf(conversation, 'role', 'content')) return 'no';
  const says = hash !== undefined || conversation.some((message) => wild.some((name) => Object.hasOwn(message, name)));
  return says === isWild ? 'certain' : 'no';
}

const wild = ['toxic', 'hashed_ip', 'turn_identifier'];
