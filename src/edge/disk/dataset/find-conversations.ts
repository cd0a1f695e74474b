import { isUtf8 } from 'node:buffer';
import { CsvError } from 'csv-parse';
import { parse as parseWhole } from 'csv-parse/sync';
import { z } from 'zod';
import { delimiterOf } from '../../../base/delimiter.ts';
import { parseJson } from '../../../base/json.ts';
import { countUserTurns, hasRuns, type Conversation } from '../../../dataset/conversation.ts';
import { conversationOfRows, csvColumnsSchema, findColumns } from '../../../dataset/csv-rows.ts';
import { readConversation } from '../../../dataset/read-conversation.ts';
import { type Scanned, scanConversation } from '../../../dataset/scan-conversation.ts';
import { type Blocks, isBlank, type Line, readLines } from '../lines.ts';
import type { IndexWriter } from '../record-index.ts';
import { firstLine, textAt } from '../records/container-of.ts';
import { readTable, TableLimit, type TableRow } from '../records/table.ts';

/** Version of the index format, and of the rules for conversations: an index of another version is rebuilt. */
export const indexVersion = 2;

const headerSchema = z.object({
  version: z.literal(indexVersion),
  key: z.object({ size: z.int(), modified: z.string(), sample: z.string() }),
  /** Columns of CSV by number; `null` for JSONL. */
  columns: csvColumnsSchema.extend({ delimiter: z.string() }).nullable(),
  /** SHA-256 of the file. */
  digest: z.string(),
  count: z.int(),
  /** Number of lines that are not blank, or of conversations of CSV. */
  lines: z.int(),
  merged: z.int(),
  skipped: z.object({ lines: z.int(), first: z.array(z.object({ line: z.int(), why: z.string() })) }),
  turnCounts: z.array(z.tuple([z.int(), z.int()])),
});

/** Everything about a file of conversations except the conversations. */
export type IndexHeader = z.infer<typeof headerSchema>;
type TableColumns = NonNullable<IndexHeader['columns']>;

/** Reads the header of an index; `undefined` if it has another version. */
export function readHeader(header: unknown): IndexHeader | undefined {
  return headerSchema.safeParse(header).data;
}

/** Position of a conversation in its file, and its number of turns. */
interface ConversationRecord {
  offset: number;
  bytes: number;
  turns: number;
  /** Line on which it begins, from 1. */
  line: number;
}

export const recordBytes = 20;

function writeRecord(block: Buffer, at: number, { offset, bytes, turns, line }: ConversationRecord): void {
  block.writeUIntLE(offset, at, 6);
  block.writeUInt32LE(bytes, at + 6);
  block.writeUInt32LE(turns, at + 10);
  block.writeUIntLE(line, at + 14, 6);
}

export function readRecord(block: Buffer, at: number): ConversationRecord {
  return {
    offset: block.readUIntLE(at, 6),
    bytes: block.readUInt32LE(at + 6),
    turns: readTurns(block, at),
    line: block.readUIntLE(at + 14, 6),
  };
}

export function readTurns(block: Buffer, at: number): number {
  return block.readUInt32LE(at + 10);
}

type Place = Omit<ConversationRecord, 'turns'>;

/** Maximum number of malformed lines that are listed. */
const maxListed = 20;

/** Adds conversations to an index and counts them. */
export class FoundConversations {
  lines = 0;
  #merged = 0;
  readonly #index: IndexWriter;
  readonly #turnCounts = new Map<number, number>();
  readonly #skipped: IndexHeader['skipped'] = { lines: 0, first: [] };

  constructor(index: IndexWriter) {
    this.#index = index;
  }

  /** Adds the record at a place: a conversation, its counts, or the problem of a malformed record. */
  add(read: Conversation | Scanned | string, place: Place): void {
    if (typeof read === 'string') return this.skip(place.line, read);
    const isCounted = 'turns' in read;
    const turns = isCounted ? read.turns : countUserTurns(read);
    this.#turnCounts.set(turns, (this.#turnCounts.get(turns) ?? 0) + 1);
    if (isCounted ? read.hasRuns : hasRuns(read)) this.#merged += 1;
    this.#index.add((block, at) => writeRecord(block, at, { ...place, turns }));
  }

  skip(line: number, why: string): void {
    this.#skipped.lines += 1;
    if (this.#skipped.first.length < maxListed) this.#skipped.first.push({ line, why });
  }

  summary(): Pick<IndexHeader, 'count' | 'lines' | 'merged' | 'skipped' | 'turnCounts'> {
    const turnCounts = [...this.#turnCounts].sort(([a], [b]) => a - b);
    return { count: this.#index.count, lines: this.lines, merged: this.#merged, skipped: this.#skipped, turnCounts };
  }
}

/** Maximum length of a line, because a JSON text must fit into one string. */
const maxLineBytes = 256 * 1024 * 1024;

/** Reads a file with one conversation per line. */
export async function findInLines(blocks: Blocks, found: FoundConversations): Promise<null> {
  for await (const lines of readLines(blocks, maxLineBytes)) for (const line of lines) takeLine(line, found);
  return null;
}

function takeLine({ number: line, offset, bytes, isLast }: Line, found: FoundConversations): void {
  if (bytes !== undefined && isBlank(bytes)) return;
  found.lines += 1;
  if (bytes === undefined) return found.skip(line, `it is longer than ${String(maxLineBytes / 1024 ** 2)} MB`);
  if (!isUtf8(bytes)) return found.skip(line, 'it is not UTF-8');
  // The syntax of JSON is ASCII: bytes decoded as Latin-1 have the same turns and problems, twice as fast.
  const text = bytes.toString('latin1');
  const quick = scanConversation(text) ?? parseText(text);
  const read = typeof quick === 'string' ? parseLine(bytes) : quick;
  found.add(isLast && read === notJson ? cutOff : read, { offset, bytes: bytes.length, line });
}

const notJson = 'it is not JSON';
const cutOff = 'it is not JSON: the file ends in the middle of it, or it is damaged';

/** Returns the conversation of a line, or a description of its problem. */
export function parseLine(line: Buffer): Conversation | string {
  return parseText(line.toString('utf8'));
}

function parseText(text: string): Conversation | string {
  try {
    return readConversation(parseJson(text));
  } catch {
    return notJson;
  }
}

const columnsRemedy =
  'The first line of a CSV file names its columns: conversation_id, role and content, or content alone, one user message per row. Other columns are named when the file is converted: chat-load dataset convert FILE --to talks.jsonl --columns user=incoming,assistant=outgoing,conversation=ticket.';
const quotesRemedy = 'Correct its quotes: one that opens a cell is closed, and one within a cell is doubled.';

/**
 * Reads a table of messages, in which the rows of a conversation follow each other. Returns its columns; `null` for an
 * empty file. `head`: the beginning of the file. Throws the error that `refuse` returns for an unreadable table.
 */
export async function findInTable(
  blocks: Blocks,
  head: Buffer,
  found: FoundConversations,
  refuse: (problem: string, remedy: string) => Error,
): Promise<TableColumns | null> {
  const delimiter = delimiterOf(firstLine(textAt(head)));
  let groups: RowGroups | undefined;
  try {
    for await (const rows of readTable(blocks, { delimiter, maxRowBytes: maxLineBytes, hasLooseQuotes: false }))
      for (const row of rows) {
        if (groups !== undefined) groups.take(row);
        else {
          const columns = findColumns(row.cells);
          if (typeof columns === 'string') throw refuse(columns, columnsRemedy);
          groups = new RowGroups(found, { ...columns, delimiter });
        }
      }
  } catch (thrown) {
    if (thrown instanceof TableLimit) throw refuse(thrown.message, columnsRemedy);
    throw thrown instanceof CsvError ? refuse(thrown.message, quotesRemedy) : thrown;
  }
  groups?.close();
  return groups?.columns ?? null;
}

/** Maximum number of remembered ids, by which separate rows of one conversation are detected. */
const maxIds = 1_000_000;

/** Collects the rows of each conversation. */
class RowGroups {
  readonly columns: TableColumns;
  readonly #found: FoundConversations;
  readonly #ids = new Set<string>();
  /** The rows of the current conversation so far. */
  #rows: TableRow[] = [];
  #id: string | undefined;

  constructor(found: FoundConversations, columns: TableColumns) {
    this.#found = found;
    this.columns = columns;
  }

  take(row: TableRow): void {
    const { conversation } = this.columns;
    const id = conversation === null ? undefined : row.cells[conversation];
    if (id === undefined || id !== this.#id || id.trim() === '') this.close();
    if (id?.trim() === '') {
      this.#found.lines += 1;
      return this.#found.skip(row.line, 'a row without a conversation id');
    }
    this.#id = id;
    this.#rows.push(row);
  }

  /** Adds the current conversation. */
  close(): void {
    const [first, last] = [this.#rows[0], this.#rows.at(-1)];
    if (first === undefined || last === undefined) return;
    const cells = this.#rows.map((row) => row.cells);
    this.#rows = [];
    this.#found.lines += 1;
    const read = this.#isRepeated(this.#id)
      ? `rows of '${String(this.#id)}' occur again: the rows of a conversation must follow each other`
      : conversationOfRows(cells, this.columns);
    this.#found.add(read, { offset: first.offset, bytes: last.end - first.offset, line: first.line });
  }

  #isRepeated(id: string | undefined): boolean {
    if (id === undefined) return false;
    if (this.#ids.has(id)) return true;
    if (this.#ids.size < maxIds) this.#ids.add(id);
    return false;
  }
}

/** Returns the conversation in a part of a table, or a description of its problem. */
export function parseRows(bytes: Buffer, columns: TableColumns): Conversation | string {
  const { delimiter } = columns;
  try {
    const form = { skip_empty_lines: true, relax_column_count: true, max_record_size: maxLineBytes, delimiter };
    return conversationOfRows(parseWhole(bytes, form), columns);
  } catch {
    return 'it is not CSV';
  }
}
