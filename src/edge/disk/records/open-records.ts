import { stat } from 'node:fs/promises';
import { delimiterOf } from '../../../base/delimiter.ts';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { openStream, readTextOf } from '../../open-file.ts';
import { readHead, readTextHead } from '../read-ends.ts';
import { containerOf, firstLine, foreignBytes, textAt } from './container-of.ts';
import { parseText, splitArray, splitLines } from './json-records.ts';
import { isPageText, rowsOfPages } from './row-pages.ts';
import type { FileRecord, RecordFile } from './record.ts';
import { readTableRecords } from './table.ts';

type IsRead = (column: string) => boolean;

/**
 * Opens a file of records and detects its format: CSV, JSON Lines, a JSON array or one JSON document. `isRead`
 * selects the columns of tables. Throws a usage error if it has another format, is compressed or cannot be read.
 */
export async function openRecords(path: string, isRead: IsRead): Promise<RecordFile> {
  try {
    const start = readHead(path);
    const foreign = foreignBytes(path, start);
    if (foreign !== undefined) throw notReadable(path, foreign.problem, foreign.remedy);
    const head = readTextHead(path);
    const container = containerOf(path, head);
    if (container === undefined)
      throw new Error(textAt(head) === '' ? 'it is empty' : 'it is neither JSON, JSON Lines nor CSV');
    const bytes = () => openStream(path, { highWaterMark: blockBytes, start: hasMark(start) ? 3 : 0 });
    const open: Record<typeof container, () => AsyncIterable<FileRecord[]>> = {
      jsonl: () => splitLines(bytes()),
      json: () => (textAt(head).startsWith('[') ? splitArray(bytes()) : readDocument(path)),
      csv: () => readTableRecords(bytes(), delimiterOf(firstLine(textAt(head))), isRead),
    };
    const isPaged = isPageText(textAt(head));
    const records = () => naming(path, isPaged ? () => rowsOfPages(open[container](), isRead) : open[container]);
    const unit = isPaged ? 'row' : units[container];
    return { path, bytes: (await stat(path)).size, container, unit, records };
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

const units = { jsonl: 'line', json: 'element', csv: 'row' } as const;

/** Smaller blocks take as long, larger ones more memory. */
const blockBytes = 256 * 1024;

const hasMark = (start: Buffer): boolean => start.toString('latin1', 0, 3) === '\u00ef\u00bb\u00bf';

async function* readDocument(path: string): AsyncGenerator<FileRecord[]> {
  yield [parseText(await readTextOf(path), 1)];
}

/** Names the file in later errors. */
async function* naming(path: string, open: () => AsyncIterable<FileRecord[]>): AsyncGenerator<readonly FileRecord[]> {
  try {
    yield* open();
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

const unreadable = (path: string, thrown: unknown): ChatLoadError =>
  thrown instanceof ChatLoadError ? thrown : notReadable(path, fileReason(thrown), formsHint, thrown);

const formsHint =
  'Use a file of conversations: JSON, JSON Lines or CSV; docs/reference/datasets.md describes the formats.';

const notReadable = (path: string, problem: string, hint: string, cause?: unknown): ChatLoadError =>
  new ChatLoadError('usage', { message: `${path} cannot be read: ${problem}.`, hint, cause });
