import { CsvError } from 'csv-parse';
import { parseJson } from '../../../base/json.ts';
import type { Blocks } from '../lines.ts';
import { longestRecord, type FileRecord } from './record.ts';
import { readTable } from './table.ts';

/**
 * The rows of CSV, its first line naming the columns; a row whose number of cells is another one is malformed. Cells that
 * are JSON are given as what they mean: tools write the messages of a conversation so.
 */
export async function* readTableRecords(
  blocks: Blocks,
  { delimiter, isRead }: { delimiter: string; isRead: (column: string) => boolean },
): AsyncGenerator<FileRecord[]> {
  let names: readonly string[] | undefined;
  let row = 0;
  try {
    for await (const rows of readTable(blocks, { delimiter, maxRowBytes: longestRecord, hasLooseQuotes: true })) {
      const header = names === undefined ? rows.shift() : undefined;
      names ??= header && namesOf(header.cells, isRead);
      const known = names ?? [];
      yield rows.map(({ cells }) => recordOf(known, cells, ++row));
    }
  } catch (thrown) {
    throw thrown instanceof CsvError ? new Error(problemOf(thrown, row), { cause: thrown }) : thrown;
  }
}

/** Throws where two of the columns that are read have the same name. */
function namesOf(cells: readonly string[], isRead: (column: string) => boolean): readonly string[] {
  const names = cells.map((name) => name.trim());
  const twice = names.find((name, index) => isRead(name) && names.indexOf(name) !== index);
  if (twice === undefined) return names;
  throw new Error(`it has two columns '${twice}': keep one of them, or rename the other`);
}

const problemOf = ({ code, message }: CsvError, row: number): string =>
  code === 'CSV_MAX_RECORD_SIZE'
    ? `row ${String(row + 1)} has more than 64 MB: correct its quotes if it should be shorter`
    : `it is not CSV behind row ${String(row)} (${message}): a quote that opens a cell has to be closed, and one within it doubled`;

function recordOf(names: readonly string[], cells: readonly string[], place: number): FileRecord {
  if (cells.length !== names.length)
    return {
      place,
      problem: 'malformed',
      detail: `it has ${String(cells.length)} cells, and the first line names ${String(names.length)}`,
    };
  return { place, value: Object.fromEntries(names.map((name, index) => [name, valueOf(cells[index] ?? '')])) };
}

function valueOf(cell: string): unknown {
  if (!/^\s*[[{]/.test(cell)) return cell;
  try {
    return parseJson(cell);
  } catch {
    return cell;
  }
}
