import { CsvError, parse } from 'csv-parse';
import { pipeline, type Readable } from 'node:stream';
import { parseJson } from '../../../base/json.ts';
import { messageOf } from '../../../base/errors.ts';
import { longestRecord, type FileRecord } from './record.ts';
import { TableBounds } from './table-bounds.ts';

/** Rows are given in pieces. */
const pieceRows = 256;

/**
 * The rows of CSV, its first line naming the columns; a row whose number of cells is another one is malformed. Cells that
 * are JSON are given as what they mean: tools write the messages of a conversation so.
 */
export async function* readTable(
  bytes: Readable,
  { delimiter, isRead }: { delimiter: string; isRead: (column: string) => boolean },
): AsyncGenerator<FileRecord[]> {
  const parser = parse({
    bom: true,
    delimiter,
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: longestRecord,
  });
  // The loop below throws an error of any of the two.
  pipeline(
    bytes,
    (chunks) => withinBounds(chunks, delimiter),
    parser,
    () => undefined,
  );
  let names: readonly string[] | undefined;
  let twice: string | undefined;
  let row = 0;
  let records: FileRecord[] = [];
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      if (names === undefined) {
        names = cells.map((name) => name.trim());
        twice = names.find((name, index) => isRead(name) && names?.indexOf(name) !== index);
        if (twice !== undefined) break;
        continue;
      }
      records.push(recordOf(names, cells, ++row));
      if (records.length < pieceRows) continue;
      yield records;
      records = [];
    }
  } catch (thrown) {
    yield records;
    if (!(thrown instanceof CsvError)) throw thrown;
    if (thrown.code === 'CSV_MAX_RECORD_SIZE')
      throw new Error(`row ${String(row + 1)} has more than 64 MB: correct its quotes if it should be shorter`, {
        cause: thrown,
      });
    throw new Error(
      `it is not CSV behind row ${String(row)} (${messageOf(thrown)}): a quote that opens a cell has to be closed, and one within it doubled`,
      {
        cause: thrown,
      },
    );
  } finally {
    bytes.destroy();
  }
  if (twice !== undefined) throw new Error(`it has two columns '${twice}': keep one of them, or rename the other`);
  yield records;
}

async function* withinBounds(chunks: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<Buffer> {
  const bounds = new TableBounds(delimiter);
  for await (const chunk of chunks) {
    bounds.check(chunk);
    yield chunk;
  }
}

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

/** The separator of a table, by its first line. */
export function delimiterOf(line: string): string {
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.delimiter ?? ',';
}
