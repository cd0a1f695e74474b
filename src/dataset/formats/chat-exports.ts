import { type DatasetFormat, type Fields, type Fit, recordByRecord } from './format.ts';
import { contentText, isListOf, objectsOf, readMessages, roleOf, textField } from './read-messages.ts';

/** File `conversations.json` of a claude.ai export. Omits names of conversations and accounts. */
export const claudeExport: DatasetFormat = {
  shape: '{"uuid", "name", "chat_messages": [{"sender": "human" | "assistant", "text", "content": [blocks]}]}',
  fields: ['uuid', 'chat_messages'],
  fit: ({ chat_messages: messages }) => (isListOf(messages, 'sender') ? 'certain' : 'no'),
  open: recordByRecord((record) => ({
    id: textField(record, 'uuid'),
    messages: objectsOf(record['chat_messages'], 'chat_messages').map(({ sender, text, content }) => ({
      role: roleOf(sender),
      // `text` repeats the blocks, with notes about tools between them.
      text: contentText(content) || contentText(text),
    })),
  })),
};

/** Exports of the browser extension, as used by Vicuna and LLaMA-Factory; some have `role` and `content`. */
export const sharegpt: DatasetFormat = {
  shape: '{"id", "conversations": [{"from": "human" | "gpt", "value": "…"}]}',
  fields: ['id', 'conversations', 'system', 'lang', 'language'],
  fit: ({ conversations }) =>
    isListOf(conversations, 'from', 'value') || isListOf(conversations, 'role', 'content') ? 'certain' : 'no',
  open: recordByRecord((record) => ({
    id: textField(record, 'id'),
    language: textField(record, 'language', 'lang'),
    messages: [{ role: 'system', text: contentText(record['system']) }, ...sharegptMessages(record['conversations'])],
  })),
};

const sharegptMessages = (conversations: unknown) =>
  isListOf(conversations, 'role', 'content')
    ? readMessages(conversations, 'conversations')
    : objectsOf(conversations, 'conversations').map(({ from, value }) => ({
        role: roleOf(from),
        // A tool call is not a message.
        text: from === 'function_call' ? '' : contentText(value),
      }));

/** LMSYS-Chat-1M. Omits the model, moderation and the mark of redacted names. */
export const lmsys: DatasetFormat = {
  shape:
    '{"conversation_id", "model", "conversation": [{"role", "content"}], "turn", "language", "openai_moderation", "redacted"}',
  fields: ['conversation_id', 'conversation', 'language'],
  fit: (record) => fitOf(record, false),
  open: openConversation('conversation_id'),
};

/** WildChat. Omits personal data (hashed addresses, headers, country, state). */
export const wildchat: DatasetFormat = {
  shape:
    '{"conversation_hash", "model", "timestamp", "conversation": [{"role", "content", "language", "toxic", "hashed_ip", …}], "language", "country", …}',
  fields: ['conversation_hash', 'conversation_id', 'conversation', 'language'],
  fit: (record) => fitOf(record, true),
  open: openConversation('conversation_hash', 'conversation_id'),
};

function openConversation(...idNames: readonly string[]): DatasetFormat['open'] {
  return recordByRecord((record) => ({
    id: textField(record, ...idNames),
    language: textField(record, 'language'),
    messages: readMessages(record['conversation'], 'conversation'),
  }));
}

/** Distinguishes WildChat from LMSYS, which has the same fields: only WildChat messages state toxicity and language. */
function fitOf({ conversation, conversation_hash: hash }: Fields, isWild: boolean): Fit {
  if (!isListOf(conversation, 'role', 'content')) return 'no';
  const isMarked = conversation.some((message) => wildFields.some((name) => Object.hasOwn(message, name)));
  return (hash !== undefined || isMarked) === isWild ? 'certain' : 'no';
}

const wildFields = ['toxic', 'hashed_ip', 'turn_identifier'];
