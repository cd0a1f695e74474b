import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { extname } from 'node:path';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { countOf, formatCount, shellWord } from '../../../base/format.ts';
import { isObject } from '../../../base/is-object.ts';
import type { CountedConversations } from '../../../dataset/conversation.ts';
import { formOf, isReadColumn } from '../../../dataset/formats/recognize.ts';
import type { MalformedBound } from '../../../scenario/message-options.ts';
import { openPlain } from '../../open-file.ts';
import { readBlocks } from '../lines.ts';
import { readHeadOf } from '../read-ends.ts';
import { type IndexWriter, openIndexed } from '../record-index.ts';
import { openRecords } from '../records/open-records.ts';
import { firstValues, type RecordFile } from '../records/record.ts';
import {
  findInLines,
  findInTable,
  FoundConversations,
  indexVersion,
  readHeader,
  recordBytes,
  type IndexHeader,
} from './find-conversations.ts';
import { type FileKey, indexedConversations, isSameFile, keyOfFile } from './indexed-conversations.ts';

/**
 * Opens a file of conversations: JSONL or, by its name, CSV. The first opening reads the whole file and writes an
 * index, next to the file or to the cache; the index is used until the file changes. Throws a usage error if it cannot
 * be read, contains no conversations, or more malformed lines than `maxMalformed`.
 */
export async function openConversations(
  path: string,
  { maxMalformed = { share: 0.01 } }: { maxMalformed?: MalformedBound } = {},
): Promise<CountedConversations> {
  const file = openToRead(path);
  try {
    const key = keyOfFile(file);
    const found = await openIndexed<IndexHeader>(path, {
      suffix: 'chat-load-index',
      recordBytes,
      size: '20 bytes per conversation',
      read: (stored) => {
        const header = readHeader(stored);
        return header !== undefined && isSameFile(header.key, key) ? header : undefined;
      },
      write: (writer) => writeIndex(path, { file, key }, writer),
    });
    requireFound(path, found.header, maxMalformed);
    return indexedConversations(path, file, found);
  } catch (thrown) {
    closeSync(file);
    throw thrown;
  }
}

function openToRead(path: string): number {
  try {
    return openPlain(path);
  } catch (thrown) {
    const hint = 'Use a file of conversations, JSONL or CSV; its path is relative to the scenario.';
    throw refused(path, fileReason(thrown), hint, thrown);
  }
}

/** Reads a file once, and adds each conversation to the index. */
async function writeIndex(
  path: string,
  { file, key }: { file: number; key: FileKey },
  writer: IndexWriter,
): Promise<IndexHeader> {
  await requireForm(path);
  const found = new FoundConversations(writer);
  const hash = createHash('sha256');
  const blocks = readBlocks(file, (block) => hash.update(block));
  const columns = isTable(path)
    ? await findInTable(blocks, readHeadOf(file), found, (problem, remedy) => refused(path, problem, remedy))
    : await findInLines(blocks, found);
  return { version: indexVersion, key, columns, digest: hash.digest('hex'), ...found.summary() };
}

const isTable = (path: string): boolean => extname(path).toLowerCase() === '.csv';

/** Throws a usage error that names the format of a file in another format. */
async function requireForm(path: string): Promise<void> {
  const file = await openRecords(path, isReadColumn);
  if (isTable(path)) return requireNoPairs(path, file);
  const { values } = await firstValues(file);
  const form = formOf(values);
  if (form === undefined) return;
  if (file.container === 'jsonl' && file.unit === 'line' && values.some(hasMessages)) return;
  throw convertible(path, `it has the form ${form}, in ${containers[file.container]}`);
}

/** Throws a usage error for a table with a message and its reply per row. Other columns are checked when it is read. */
async function requireNoPairs(path: string, file: RecordFile): Promise<void> {
  let values: unknown[] = [];
  try {
    ({ values } = await firstValues(file));
  } catch {
    // Reading reports the row.
  }
  if (formOf(values) === 'pairs') throw convertible(path, `it has the form pairs, in ${containers.csv}`);
}

const containers = { jsonl: 'JSON Lines', json: 'one JSON document', csv: 'a table' } as const;

const hasMessages = (value: unknown): boolean => isObject(value) && Object.hasOwn(value, 'messages');

const namedLines = 5;

/** Throws a usage error if a file contains no conversations, or too many malformed lines. */
function requireFound(path: string, { count, lines, skipped }: IndexHeader, maxMalformed: MalformedBound): void {
  if (lines === 0) throw refused(path, 'it has no lines', 'Use a file with one conversation per line.');
  const max = malformedLimit(lines, maxMalformed);
  if (count > 0 && skipped.lines <= max) return;
  const named = skipped.first.slice(0, namedLines).map(({ line, why }) => `  line ${String(line)}: ${why}`);
  throw refused(
    path,
    `${countOf(skipped.lines, 'line')} of ${formatCount(lines)} ${skipped.lines === 1 ? 'is not a conversation' : 'are not conversations'}${count === 0 ? '' : `; at most ${formatCount(max)} may be malformed`}:\n${named.join('\n')}${skipped.lines > named.length ? '\n  ...' : ''}\nIt cannot be used`,
    count === 0
      ? `A line is {"messages":[{"role":"user","content":"..."}]}. Other forms are converted: ${conversionOf(path)}`
      : `Correct these lines, or omit them: ${conversionOf(path)}\nfromFile('...', { maxMalformed: '5%' }) allows more.`,
  );
}

/** A share allows at least one line: the last one of a file is often cut off. */
function malformedLimit(lines: number, bound: MalformedBound): number {
  if ('lines' in bound) return bound.lines;
  return bound.share === 0 ? 0 : Math.max(1, Math.floor(lines * bound.share));
}

const convertible = (path: string, why: string): ChatLoadError =>
  refused(path, why, `Convert it: ${conversionOf(path)}`);

const conversionOf = (path: string): string =>
  `chat-load dataset convert ${shellWord(path)} --to ${shellWord(`${path.replace(/(\.\w+)?$/, '')}.converted.jsonl`)}`;

const refused = (path: string, why: string, hint: string, cause?: unknown): ChatLoadError =>
  new ChatLoadError('usage', { message: `The conversations cannot be read from ${path}: ${why}.`, hint, cause });
