import { createHash } from 'node:crypto';
import { Fingerprints } from '../fingerprints.ts';
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
import { contentText, isRoleName, roleOf, textField } from './read-messages.ts';
import { columnIn, messageColumns, messageNames, pairColumns, pairFields, type TableColumns } from './table-columns.ts';

/** A table with one message per row; the rows of a conversation follow each other. */
export const rows: DatasetFormat = {
  shape:
    'one message per row: columns conversation_id, role, content (and language); rows of a conversation next to each other',
  fields: messageNames,
  fit: (record) => {
    const { conversation, role, content } = messageColumns(record);
    const isRow = idIn(record, conversation) !== undefined && isRoleName(columnIn(record, role));
    return isRow && typeof columnIn(record, content) === 'string' ? 'certain' : 'no';
  },
  open: () => new RowReader(messageColumns, true),
};

/** A table with a message and its reply per row, such as exports of help desks. */
export const pairs: DatasetFormat = {
  shape:
    'a message and its reply per row: columns incoming, outgoing (or question, answer; prompt, response), and ticket_id or conversation_id',
  fields: pairFields,
  fit: (record) => {
    const columns = pairColumns(record);
    const texts = [columns?.user, columns?.assistant].map((name) => columnIn(record, name));
    const isPair = columns !== undefined && texts.every((text) => typeof text === 'string' || text === null);
    return isPair && !listFields.some((name) => Array.isArray(record[name])) ? 'certain' : 'no';
  },
  open: () => new RowReader(pairColumns, false),
};

/** Lists of messages in other forms, which take precedence. */
const listFields = ['messages', 'conversations', 'conversation', 'chat_messages'];

/** Returns the reader of a table with named columns. */
export function readColumns(columns: TableColumns): RecordReader {
  return new RowReader(() => columns, columns.conversation !== undefined);
}

const idIn = (record: Fields, name: string | undefined): string | undefined =>
  textField({ id: columnIn(record, name) }, 'id');

/** Rows of one conversation; the problem of one row applies to all. */
interface OpenConversation {
  id: string | undefined;
  place: number;
  language: string | undefined;
  messages: (() => RawMessage[])[];
  bytes: number;
}

/** Maximum memory of a conversation; longer ones are only counted. */
const maxConversation = 64 * 1024 ** 2;
/** Memory of a row in addition to its text. */
const rowBytes = 200;

class RowReader implements RecordReader {
  #open: OpenConversation | undefined;
  readonly #ids = new Fingerprints();
  readonly #columnsOf: (record: Fields) => TableColumns | undefined;
  readonly #requiresId: boolean;
  #fields: string | undefined;
  #columns: TableColumns | undefined;

  /** `requiresId`: a row without a conversation id is a problem; otherwise it is a conversation. */
  constructor(columnsOf: (record: Fields) => TableColumns | undefined, requiresId: boolean) {
    this.#columnsOf = columnsOf;
    this.#requiresId = requiresId;
  }

  read(record: Fields, place: number): readonly Reading[] {
    const columns = this.#columnsIn(record);
    if (columns === undefined)
      return [{ place, problem: 'otherForm', detail: 'a row without a message and its reply' }];
    const id = idIn(record, columns.conversation);
    if (id === undefined && this.#requiresId)
      return [...this.end(), { place, problem: 'otherForm', detail: 'a row without a conversation id' }];
    const closed = id !== undefined && this.#open?.id === id ? [] : this.end();
    const language = textField({ language: columnIn(record, columns.language) }, 'language');
    this.#open ??= { id, place, language, messages: [], bytes: 0 };
    this.#open.bytes += rowBytes + textLength(record, columns);
    if (this.#open.bytes > maxConversation) this.#open.messages = [];
    else this.#open.messages.push(() => messagesOf(record, columns));
    return closed;
  }

  /** Finds the columns again only if a record has other fields than the one before. */
  #columnsIn(record: Fields): TableColumns | undefined {
    const fields = Object.keys(record).join('\n');
    if (fields !== this.#fields) [this.#fields, this.#columns] = [fields, this.#columnsOf(record)];
    return this.#columns;
  }

  end(): readonly Reading[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    const isScattered = open.id !== undefined && this.#ids.add(numberOf(open.id));
    return [{ ...readingOf(open.place, () => conversationOf(open)), ...(isScattered ? { isScattered } : {}) }];
  }
}

/** Returns the messages of a row: one, or a message and its reply. */
function messagesOf(record: Fields, columns: TableColumns): RawMessage[] {
  const { role, content, user, assistant } = columns;
  if (user === undefined && assistant === undefined)
    return [{ role: role === undefined ? 'user' : roleOf(columnIn(record, role)), text: textIn(record, content) }];
  return [
    { role: 'user', text: textIn(record, user) },
    { role: 'assistant', text: textIn(record, assistant) },
  ];
}

const textIn = (record: Fields, name: string | undefined): string => contentText(columnIn(record, name));

function textLength(record: Fields, { content, user, assistant }: TableColumns): number {
  return [content, user, assistant].reduce((sum, name) => {
    const text = columnIn(record, name);
    return sum + (typeof text === 'string' ? text.length : 0);
  }, 0);
}

function conversationOf({ id, language, messages, bytes }: OpenConversation): RawConversation {
  if (bytes > maxConversation) throw new Unreadable('tooLong', `its rows have ${(bytes / 1024 ** 2).toFixed(0)} MB`);
  return { id, language, messages: messages.flatMap((message) => message()) };
}

/** Returns 48 bits of a hash; never 0. */
const numberOf = (id: string): number => createHash('sha256').update(id).digest().readUIntBE(0, 6) + 1;
