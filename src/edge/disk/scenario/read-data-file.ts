import { extname } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parseJson } from '../../../base/json.ts';
import { ChatLoadError } from '../../../base/errors.ts';
import { formatCount } from '../../../base/format.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { readTextOf } from '../../open-file.ts';
import { TableBounds } from '../records/table.ts';

/** Reads the rows of a list from CSV (the first line names the fields) or JSONL (one JSON value per line). */
export async function readDataFile(path: string, list: string): Promise<unknown[]> {
  const read = readers[extname(path).toLowerCase()];
  if (read === undefined) throw unreadable(list, path, `its extension is none of ${Object.keys(readers).join(', ')}`);
  try {
    const rows = read(await readTextOf(path));
    if (rows.length > maxRows) throw tooManyRows();
    if (rows.length > 0) return rows;
  } catch (thrown) {
    throw unreadable(list, path, fileReason(thrown), thrown);
  }
  throw unreadable(list, path, 'the file has no rows');
}

const readers: Readonly<Record<string, (text: string) => unknown[]>> = {
  '.csv': readTable,
  '.jsonl': readLines,
  '.ndjson': readLines,
};

/** Maximum number of rows: they stay in memory during the run. */
const maxRows = 1_000_000;

function readTable(text: string): unknown[] {
  const bytes = Buffer.from(text);
  new TableBounds(',').check(bytes);
  return parse(bytes, { columns: true, bom: true, skip_empty_lines: true, trim: true, to: maxRows + 1 });
}

function readLines(text: string): unknown[] {
  // Lines are counted before the text is split, because every line takes memory, even a blank one.
  let lines = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines += 1;
  if (lines > maxRows) throw tooManyRows();
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [parseJson(line)];
    } catch (thrown) {
      throw new Error(`line ${String(index + 1)} is not JSON`, { cause: thrown });
    }
  });
}

const tooManyRows = (): Error => new Error(`the file has more than ${formatCount(maxRows)} rows`);

const unreadable = (list: string, path: string, why: string, cause?: unknown): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `Cannot read the list data.${list} from ${path}: ${why}.`,
    hint: 'Use a CSV file whose first line names the fields, or a JSONL file with one JSON value per line; paths are relative to the scenario.',
    cause,
  });
