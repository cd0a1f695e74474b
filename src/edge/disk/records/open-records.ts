import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { readTextOf } from '../open-file.ts';
import { parseText } from './parse-record.ts';
import { readParquet } from './read-parquet.ts';
import { delimiterOf, readTable } from './read-table.ts';
import type { Container, FileRecord, RecordFile } from './record.ts';
import { splitArray } from './split-array.ts';
import { splitLines } from './split-lines.ts';

/**
 * Opens a file of records, by what is in it: Parquet, CSV, JSON Lines, a JSON array or one JSON document. Throws a usage
 * error that names the file where it is none of these, is compressed as a whole, or cannot be read.
 */
export async function openRecords(path: string, isRead: (column: string) => boolean): Promise<RecordFile> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is not a plain file');
    const start = await readStart(path);
    const { container, read } = openingOf(path, start, isRead);
    return { path, bytes: stats.size, container, unit: units[container], records: () => naming(path, read()) };
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

const units = { jsonl: 'line', json: 'element', csv: 'row', parquet: 'row' } as const;

interface Opening {
  container: Container;
  read: () => AsyncIterable<FileRecord[]>;
}

/** Pieces of a file: fewer take as long, more take memory. */
const pieceBytes = 256 * 1024;

function openingOf(path: string, start: Buffer, isRead: (column: string) => boolean): Opening {
  const bytes = () => createReadStream(path, { highWaterMark: pieceBytes, start: hasMark(start) ? 3 : 0 });
  const text = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  const extension = extname(path).toLowerCase();
  if (start.length === 0 || text === '') throw new Error('it is empty');
  if (start.toString('latin1', 0, 4) === 'PAR1') return { container: 'parquet', read: () => readParquet(path, isRead) };
  refuseOther(start);
  if (extension === '.csv' || extension === '.tsv')
    return { container: 'csv', read: () => readTable(bytes(), delimiterOf(firstLine(text))) };
  if (extension === '.jsonl' || extension === '.ndjson') return { container: 'jsonl', read: () => splitLines(bytes()) };
  if (text.startsWith('[')) return { container: 'json', read: () => splitArray(bytes()) };
  if (text.startsWith('{'))
    return isDocument(text, extension)
      ? { container: 'json', read: () => readDocument(path) }
      : { container: 'jsonl', read: () => splitLines(bytes()) };
  if (/[,;\t]/.test(firstLine(text)))
    return { container: 'csv', read: () => readTable(bytes(), delimiterOf(firstLine(text))) };
  throw new Error('it is neither JSON, JSON Lines, CSV nor Parquet');
}

const startBytes = 64 * 1024;

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const hasMark = (start: Buffer): boolean => start.toString('latin1', 0, 3) === '\u00ef\u00bb\u00bf';
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** A single object over several lines, not one a line. */
function isDocument(text: string, extension: string): boolean {
  const line = firstLine(text);
  if (line.length === text.length) return extension === '.json';
  try {
    JSON.parse(line);
    return false;
  } catch {
    return extension === '.json' || line.trim() === '{';
  }
}

async function* readDocument(path: string): AsyncGenerator<FileRecord[]> {
  const text = await readTextOf(path);
  yield [parseText(text.replace(/^\ufeff/, ''), 1)];
}

/** What a file may begin with that is none of the containers, and how it becomes one. */
const others: readonly (readonly [start: string, is: string, remedy: string])[] = [
  ['\u001f\u008b', 'compressed with gzip', 'gunzip'],
  ['PK\u0003\u0004', 'a ZIP archive', 'unzip'],
  ['\u0028\u00b5\u002f\u00fd', 'compressed with Zstandard', 'unzstd'],
  ['BZh', 'compressed with bzip2', 'bunzip2'],
  ['\u00ff\u00fe', 'UTF-16', 'iconv -f UTF-16 -t UTF-8'],
  ['\u00fe\u00ff', 'UTF-16', 'iconv -f UTF-16 -t UTF-8'],
  ['ARROW1', 'an Arrow file', 'a tool that writes it as Parquet'],
];

function refuseOther(start: Buffer): void {
  const begin = start.toString('latin1', 0, 8);
  const other = others.find(([mark]) => begin.startsWith(mark));
  if (other !== undefined) throw new Error(`it is ${other[1]}: convert it with ${other[2]} first`);
}

/** Names the file in what goes wrong later. */
async function* naming(path: string, pieces: AsyncIterable<FileRecord[]>): AsyncGenerator<readonly FileRecord[]> {
  try {
    yield* pieces;
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

function unreadable(path: string, thrown: unknown): ChatLoadError {
  if (thrown instanceof ChatLoadError) return thrown;
  return new ChatLoadError('usage', {
    message: `${path} cannot be read: ${fileReason(thrown)}.`,
    hint: 'Name a file of conversations: JSON, JSON Lines, CSV or Parquet; docs/datasets.md shows the forms.',
    cause: thrown,
  });
}
