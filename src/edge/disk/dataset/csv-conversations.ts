import { CsvError } from 'csv-parse';
import { parse as parseWhole } from 'csv-parse/sync';
import { delimiterOf } from '../../../base/delimiter.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Conversation } from '../../../dataset/conversation.ts';
import { conversationOfRows, findColumns, type CsvColumns } from '../../../dataset/csv-rows.ts';
import { firstLine, textAt } from '../records/container-of.ts';
import type { Blocks } from '../lines.ts';
import { readTable, TableLimit, type TableRow } from '../records/table.ts';
import { type FoundConversations, maxLineBytes } from './found-conversations.ts';

/** Conversations that are remembered by their ids, to notice one whose rows are apart. */
const maxIds = 1_000_000;

const columnsRemedy =
  'The first line of a CSV file names its columns: conversation_id, role and content, or content alone for one message of a user a row.';
const quotesRemedy = 'Correct its quotes: one that opens a cell is closed, and one within a cell is doubled.';

/** Where the cells of such a file are. */
export type TableColumns = CsvColumns & { delimiter: string };

/** Why nothing in a file can be read, and what to change. */
export interface TableProblem {
  problem: string;
  remedy: string;
}

/**
 * Reads a table of messages: rows of one conversation follow each other. Returns its columns, `null` for an empty file, or
 * why it cannot be read; `head` is how it begins.
 */
export async function findInTable(
  blocks: Blocks,
  head: Buffer,
  found: FoundConversations,
): Promise<TableColumns | TableProblem | null> {
  const delimiter = delimiterOf(firstLine(textAt(head)));
  let groups: RowGroups | undefined;
  try {
    for await (const rows of readTable(blocks, { delimiter, maxRowBytes: maxLineBytes, hasLooseQuotes: false }))
      for (const row of rows) {
        if (groups !== undefined) groups.take(row);
        else {
          const columns = findColumns(row.cells);
          if (typeof columns === 'string') return { problem: columns, remedy: columnsRemedy };
          groups = new RowGroups(found, { ...columns, delimiter });
        }
      }
  } catch (thrown) {
    if (thrown instanceof TableLimit) return { problem: thrown.message, remedy: columnsRemedy };
    if (!(thrown instanceof CsvError)) throw thrown;
    return { problem: messageOf(thrown), remedy: quotesRemedy };
  }
  groups?.close();
  return groups?.columns ?? null;
}

/** Puts the rows of each conversation together. */
class RowGroups {
  readonly columns: TableColumns;
  readonly #found: FoundConversations;
  readonly #ids = new Set<string>();
  /** The rows of one conversation so far. */
  #group: { id: string | undefined; rows: TableRow[] } | undefined;

  constructor(found: FoundConversations, columns: TableColumns) {
    this.#found = found;
    this.columns = columns;
  }

  take(row: TableRow): void {
    const { conversation } = this.columns;
    const id = conversation === null ? undefined : row.cells[conversation];
    if (id?.trim() === '') {
      this.close();
      this.#found.lines += 1;
      this.#found.skip(row.line, 'a row without a conversation id');
      return;
    }
    if (this.#group === undefined || id === undefined || id !== this.#group.id) {
      this.close();
      this.#group = { id, rows: [] };
    }
    this.#group.rows.push(row);
  }

  /** The conversation whose rows were the latest is complete. */
  close(): void {
    const { id, rows = [] } = this.#group ?? {};
    const [first, last] = [rows[0], rows.at(-1)];
    this.#group = undefined;
    if (first === undefined || last === undefined) return;
    const { offset, line } = first;
    this.#found.lines += 1;
    const cells = rows.map((row) => row.cells);
    const read = this.#isApart(id)
      ? `rows of '${String(id)}' come again: those of a conversation follow each other`
      : conversationOfRows(cells, this.columns);
    if (typeof read === 'string') this.#found.skip(line, read);
    else this.#found.add(read, { offset, bytes: last.end - offset, line });
  }

  #isApart(id: string | undefined): boolean {
    if (id === undefined) return false;
    if (this.#ids.has(id)) return true;
    if (this.#ids.size < maxIds) this.#ids.add(id);
    return false;
  }
}

/** The conversation in a part of such a file, or what is wrong with it. */
export function parseRows(bytes: Buffer, columns: TableColumns): Conversation | string {
  const { delimiter } = columns;
  try {
    const form = { skip_empty_lines: true, relax_column_count: true, max_record_size: maxLineBytes, delimiter };
    return conversationOfRows(parseWhole(bytes, form), columns);
  } catch {
    return 'it is not CSV';
  }
}
