import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parseJson } from '../../base/json.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';

/** Reads the rows of a list from CSV (the first line names the fields) or JSONL (a JSON value per line). */
export async function readDataFile(path: string, list: string): Promise<unknown[]> {
  const read = readers[extname(path).toLowerCase()];
  if (read === undefined) throw unreadable(list, path, `its name ends in none of ${Object.keys(readers).join(', ')}`);
  try {
    const rows = read(await readFile(path, 'utf8'));
    if (rows.length > 0) return rows;
  } catch (thrown) {
    throw unreadable(list, path, fileReason(thrown), thrown);
  }
  throw unreadable(list, path, 'it has no rows');
}

const readers: Readonly<Record<string, (text: string) => unknown[]>> = {
  '.csv': (text) => parse(text, { columns: true, bom: true, skip_empty_lines: true, trim: true }),
  '.jsonl': readLines,
  '.ndjson': readLines,
};

function readLines(text: string): unknown[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [parseJson(line)];
    } catch (thrown) {
      throw new Error(`line ${String(index + 1)} is not JSON`, { cause: thrown });
    }
  });
}

const unreadable = (list: string, path: string, why: string, cause?: unknown): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `The list data.${list} cannot be read from ${path}: ${why}.`,
    hint: 'Give a CSV file whose first line names the fields, or a JSONL file with one JSON value per line; paths are relative to the scenario.',
    cause,
  });
