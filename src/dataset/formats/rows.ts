import { createHash } from 'node:crypto';
import { Fingerprints } from '../fingerprints.ts';
import { contentText, textField, isRoleName, roleOf } from './read-messages.ts';
import {
  readingOf,
  Unreadable,
  type DatasetFormat,
  type Fields,
  type RawConversation,
  type RawMessage,
  type Reading,
  type RecordReader,
} from './format.ts';

const idNames = ['conversation_id', 'session_id', 'thread_id', 'chat_id', 'conversation', 'session', 'id'];
const roleNames = ['role', 'from', 'sender', 'author', 'speaker'];
const textNames = ['content', 'text', 'value', 'message', 'body'];

/** A table with one message per row; the rows of a conversation follow each other. */
export const rows: DatasetFormat = {
  shape:
    'one message per row: columns conversation_id, role, content (and language); rows of a conversation next to each other',
  fields: [...idNames, ...roleNames, ...textNames, 'language'],
  fit: (record) => {
    const isRow = textField(record, ...idNames) !== undefined && isRoleName(textField(record, ...roleNames));
    return isRow && textNames.some((name) => typeof record[name] === 'string') ? 'certain' : 'no';
  },
  open: () => new RowReader(),
};

/** Rows of one conversation; the problem of one row applies to all. */
interface OpenConversation {
  id: string;
  place: number;
  language: string | undefined;
  messages: (() => RawMessage)[];
  bytes: number;
}

/** Maximum memory of a conversation; longer ones are only counted. */
const maxConversation = 64 * 1024 ** 2;
/** Memory of a row in addition to its text. */
const rowBytes = 200;

class RowReader implements RecordReader {
  #open: OpenConversation | undefined;
  readonly #ids = new Fingerprints();

  read(record: Fields, place: number): readonly Reading[] {
    const id = textField(record, ...idNames);
    if (id === undefined)
      return [...this.end(), { place, problem: 'otherForm', detail: 'a row without a conversation id' }];
    const content = textNames.map((name) => record[name]).find((value) => value !== undefined);
    const message = (): RawMessage => ({
      role: roleOf(textField(record, ...roleNames)),
      text: contentText(content),
    });
    const closed = this.#open?.id === id ? [] : this.end();
    this.#open ??= { id, place, language: textField(record, 'language'), messages: [], bytes: 0 };
    this.#open.bytes += rowBytes + (typeof content === 'string' ? content.length : 0);
    if (this.#open.bytes > maxConversation) this.#open.messages = [];
    else this.#open.messages.push(message);
    return closed;
  }

  end(): readonly Reading[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    const isScattered = this.#ids.add(numberOf(open.id));
    return [{ ...readingOf(open.place, () => conversationOf(open)), ...(isScattered ? { isScattered } : {}) }];
  }
}

function conversationOf({ id, language, messages, bytes }: OpenConversation): RawConversation {
  if (bytes > maxConversation) throw new Unreadable('tooLong', `its rows have ${(bytes / 1024 ** 2).toFixed(0)} MB`);
  return { id, language, messages: messages.map((message) => message()) };
}

/** Returns 48 bits of a hash; never 0. */
const numberOf = (id: string): number => createHash('sha256').update(id).digest().readUIntBE(0, 6) + 1;
