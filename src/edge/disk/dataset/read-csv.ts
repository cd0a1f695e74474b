import { parse, type Info, type Parser } from 'csv-parse';
import { parse as parseWhole } from 'csv-parse/sync';
import { messageOf } from '../../../base/errors.ts';
import type { Conversation } from '../../../dataset/conversation.ts';
import { conversationOfRows, findColumns, type CsvColumns } from '../../../dataset/csv-rows.ts';
import { firstLine, textAt } from '../records/container-of.ts';
import { delimiterOf } from '../records/read-table.ts';
import { TableBounds } from '../records/table-bounds.ts';
import type { FoundConversations } from './found-conversations.ts';
import { mostLineBytes } from './line-splitter.ts';

const options = { skip_empty_lines: true, relax_column_count: true, max_record_size: mostLineBytes } as const;

/** Conversations that are remembered by their ids, to notice one whose rows are apart. */
const mostIds = 1_000_000;

const columnsRemedy =
  'The first line of a CSV file names its columns: conversation_id, role and content, or content alone for one message of a user a row.';
const quotesRemedy = 'Correct its quotes: one that opens a cell is closed, and one within a cell is doubled.';

interface Row {
  info: Info;
  record: string[];
}

/** Where the cells of such a file are. */
export type TableColumns = CsvColumns & { delimiter: string };

/** Rows of one conversation so far. */
interface Group {
  id: string | undefined;
  offset: number;
  line: number;
  rows: string[][];
}

/** Reads a table of messages, chunk by chunk: rows of one conversation follow each other. */
export class CsvReader {
  /** Once the first line is read. */
  columns: TableColumns | undefined;
  /** Why nothing in the file can be read, and what to change. */
  problem: { why: string; remedy: string } | undefined;
  readonly #found: FoundConversations;
  #opened: { parser: Parser; delimiter: string; bounds: TableBounds } | undefined;
  readonly #ids = new Set<string>();
  #group: Group | undefined;
  /** Where the latest row ended. */
  #end = 0;
  #line = 0;

  constructor(found: FoundConversations) {
    this.#found = found;
  }

  push(chunk: Buffer): void {
    if (this.problem !== undefined) return;
    this.#opened ??= this.#open(delimiterOf(firstLine(textAt(chunk))));
    const { parser, delimiter, bounds } = this.#opened;
    try {
      bounds.check(chunk);
    } catch (thrown) {
      this.problem = { why: messageOf(thrown), remedy: columnsRemedy };
      return;
    }
    // A copy: the chunk is read into again.
    parser.write(Buffer.from(chunk));
    this.#takeRows(parser, delimiter);
  }

  async end(): Promise<void> {
    if (this.problem === undefined && this.#opened !== undefined) {
      const { parser, delimiter } = this.#opened;
      const ended = new Promise((resolve) => parser.once('end', resolve).once('error', resolve));
      parser.on('readable', () => this.#takeRows(parser, delimiter)).end();
      await ended;
    }
    this.#close();
  }

  #open(delimiter: string): { parser: Parser; delimiter: string; bounds: TableBounds } {
    const parser = parse({ ...options, delimiter, info: true, bom: true });
    parser.on('error', ({ message }) => (this.problem ??= { why: message, remedy: quotesRemedy }));
    return { parser, delimiter, bounds: new TableBounds(delimiter) };
  }

  #takeRows(parser: Parser, delimiter: string): void {
    for (let row = parser.read() as Row | null; row !== null; row = parser.read() as Row | null) {
      if (this.columns === undefined) this.#takeHeader(row, delimiter);
      else this.#take(row, this.columns);
      this.#end = row.info.bytes;
      this.#line = row.info.lines;
    }
  }

  #takeHeader({ record }: Row, delimiter: string): void {
    const columns = findColumns(record);
    if (typeof columns === 'string') this.problem ??= { why: columns, remedy: columnsRemedy };
    else this.columns = { ...columns, delimiter };
  }

  #take({ record }: Row, { conversation }: TableColumns): void {
    const id = conversation === null ? undefined : record[conversation];
    if (id?.trim() === '') {
      this.#close();
      this.#found.lines += 1;
      this.#found.skip(this.#line + 1, 'a row without a conversation id');
      return;
    }
    if (this.#group === undefined || id === undefined || id !== this.#group.id) {
      this.#close();
      this.#group = { id, offset: this.#end, line: this.#line + 1, rows: [] };
    }
    this.#group.rows.push(record);
  }

  /** The conversation whose rows were the latest is whole. */
  #close(): void {
    const { columns } = this;
    if (this.#group === undefined || columns === undefined) return;
    const { id, offset, line, rows } = this.#group;
    this.#group = undefined;
    this.#found.lines += 1;
    const read = this.#isApart(id)
      ? `rows of '${String(id)}' come again: those of a conversation follow each other`
      : conversationOfRows(rows, columns);
    if (typeof read === 'string') this.#found.skip(line, read);
    else this.#found.add(read, { offset, bytes: this.#end - offset, line });
  }

  #isApart(id: string | undefined): boolean {
    if (id === undefined) return false;
    if (this.#ids.has(id)) return true;
    if (this.#ids.size < mostIds) this.#ids.add(id);
    return false;
  }
}

/** The conversation in a part of such a file, or what is wrong with it. */
export function parseRows(bytes: Buffer, columns: TableColumns): Conversation | string {
  try {
    return conversationOfRows(parseWhole(bytes, { ...options, delimiter: columns.delimiter, bom: false }), columns);
  } catch {
    return 'it is not CSV';
  }
}
