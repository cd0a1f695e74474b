import { recordByRecord, type DatasetFormat, type Fields, type Fit } from './format.ts';
import { isListOf, readMessages, textField } from './read-messages.ts';

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
