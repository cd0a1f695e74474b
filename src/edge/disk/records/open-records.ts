import { stat } from 'node:fs/promises';
import { ChatLoadError } from '../../../base/errors.ts';
import { delimiterOf } from '../../../base/delimiter.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { foreignBytes, containerOf, firstLine, textAt } from './container-of.ts';
import { openStream, readTextOf } from '../../open-file.ts';
import { readHead, readTextHead } from '../read-ends.ts';
import { parseText, splitLines, splitArray } from './json-records.ts';
import { readParquet } from './read-parquet.ts';
import type { Container, FileRecord, RecordFile } from './record.ts';
import { readTableRecords } from './table.ts';

/**
 * Opens a file of records, by what is in it: Parquet, CSV, JSON Lines, a JSON array or one JSON document. Throws a usage
 * error that names the file where it is none of these, is compressed as a whole, or cannot be read.
 */
export async function openRecords(path: string, isRead: (column: string) => boolean): Promise<RecordFile> {
  try {
    const start = readHead(path);
    const foreign = foreignBytes(path, start);
    if (foreign !== undefined) throw notReadable(path, { problem: foreign.problem, hint: foreign.remedy });
    const head = readTextHead(path);
    const container = containerOf(path, head);
    if (container === undefined)
      throw new Error(textAt(head) === '' ? 'it is empty' : 'it is neither JSON, JSON Lines, CSV nor Parquet');
    const { size: bytes } = await stat(path);
    const records = () => naming(path, () => read(container, { path, head, from: hasMark(start) ? 3 : 0, isRead }));
    return { path, bytes, container, unit: units[container], records };
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

const units = { jsonl: 'line', json: 'element', csv: 'row', parquet: 'row' } as const;

/** Pieces of a file: fewer take as long, more take memory. */
const pieceBytes = 256 * 1024;

interface Opened {
  path: string;
  /** Where its text begins. */
  head: Buffer;
  /** Behind a byte order mark. */
  from: number;
  isRead: (column: string) => boolean;
}

function read(container: Container, { path, head, from, isRead }: Opened): AsyncIterable<FileRecord[]> {
  const bytes = () => openStream(path, { highWaterMark: pieceBytes, start: from });
  const text = textAt(head);
  switch (container) {
    case 'parquet':
      return readParquet(path, isRead);
    case 'csv':
      return readTableRecords(bytes(), { delimiter: delimiterOf(firstLine(text)), isRead });
    case 'jsonl':
      return splitLines(bytes());
    case 'json':
      return text.startsWith('[') ? splitArray(bytes()) : readDocument(path);
  }
}

const hasMark = (start: Buffer): boolean => start.toString('latin1', 0, 3) === '\u00ef\u00bb\u00bf';

async function* readDocument(path: string): AsyncGenerator<FileRecord[]> {
  const text = await readTextOf(path);
  yield [parseText(text.replace(/^\ufeff/, ''), 1)];
}

/** Names the file in what goes wrong later. */
async function* naming(path: string, open: () => AsyncIterable<FileRecord[]>): AsyncGenerator<readonly FileRecord[]> {
  try {
    yield* open();
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

function unreadable(path: string, thrown: unknown): ChatLoadError {
  if (thrown instanceof ChatLoadError) return thrown;
  return notReadable(path, { problem: fileReason(thrown), hint: formsHint, cause: thrown });
}

const formsHint =
  'Name a file of conversations: JSON, JSON Lines, CSV or Parquet; docs/reference/datasets.md shows the forms.';

const notReadable = (path: string, { problem, ...rest }: { problem: string; hint: string; cause?: unknown }) =>
  new ChatLoadError('usage', { message: `${path} cannot be read: ${problem}.`, ...rest });
