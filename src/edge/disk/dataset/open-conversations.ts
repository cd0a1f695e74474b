import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { extname } from 'node:path';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import type { CountedConversations } from '../../../dataset/conversation.ts';
import type { MalformedBound } from '../../../scenario/message-options.ts';
import { openPlain } from '../../open-file.ts';
import { readHeadOf } from '../read-ends.ts';
import { readBlocks } from '../lines.ts';
import { IndexedConversations, isSameFile, keyOfFile, type FileKey } from './indexed-conversations.ts';
import { openIndexed, type OpenIndex } from '../record-index/open-indexed.ts';
import type { IndexWriter } from '../record-index/record-index.ts';
import { findInTable } from './csv-conversations.ts';
import {
  findInLines,
  FoundConversations,
  indexSuffix,
  indexVersion,
  readHeader,
  recordBytes,
  type IndexHeader,
} from './found-conversations.ts';
import { countOf, formatCount, shellWord } from '../../../base/format.ts';
import { isObject } from '../../../base/is-object.ts';
import { readFields, formOf } from '../../../dataset/formats/recognize.ts';
import { firstValues } from '../records/record.ts';
import { openRecords } from '../records/open-records.ts';

/**
 * Opens the conversations of a file, JSONL or, by its name, CSV. The first time it is read as a whole and indexed, beside it or in the
 * cache; then that index is used until the file is another one. Throws a usage error where it cannot be read, holds no
 * conversations, or more malformed lines than `maxMalformed`.
 */
export async function openConversations(
  path: string,
  { maxMalformed = { share: 0.01 } }: { maxMalformed?: MalformedBound } = {},
): Promise<CountedConversations> {
  const file = openToRead(path);
  const opened = [file];
  try {
    const { index, header, indexFile } = await openIndex(path, file);
    opened.push(indexFile);
    requireFound(path, header, maxMalformed);
    return new IndexedConversations({ path, file, indexFile }, { index, header });
  } catch (thrown) {
    for (const each of opened) closeSync(each);
    throw thrown;
  }
}

function openToRead(path: string): number {
  try {
    return openPlain(path);
  } catch (thrown) {
    const hint = 'Name a file of conversations, JSONL or CSV; its path is relative to the scenario.';
    throw refused(path, fileReason(thrown), hint, thrown);
  }
}

async function openIndex(path: string, file: number): Promise<OpenIndex<IndexHeader>> {
  const key = keyOfFile(file);
  return openIndexed(path, {
    suffix: indexSuffix,
    recordBytes,
    prepare: () => requireForm(path),
    read: (given) => {
      const header = readHeader(given);
      return header !== undefined && isSameFile(header.key, key) ? header : undefined;
    },
    write: (writer) => scan(path, { file, key }, writer),
    errorOf: (thrown) =>
      thrown instanceof ChatLoadError
        ? thrown
        : new ChatLoadError('environment', {
            message: `${path} cannot be indexed: ${fileReason(thrown)}.`,
            hint: 'The index needs about 20 bytes for each conversation, beside the file or in the folder that CHAT_LOAD_CACHE names.',
            cause: thrown,
          }),
  });
}

/** Reads a file once, and adds each of its conversations to the index. */
async function scan(
  path: string,
  { file, key }: { file: number; key: FileKey },
  writer: IndexWriter,
): Promise<IndexHeader> {
  const found = new FoundConversations(writer);
  const hash = createHash('sha256');
  const blocks = readBlocks(file, (block) => hash.update(block));
  const columns =
    extname(path).toLowerCase() === '.csv'
      ? await findInTable(blocks, readHeadOf(file), found)
      : await findInLines(blocks, found);
  if (columns !== null && 'problem' in columns) throw refused(path, columns.problem, columns.remedy);
  const { count, lines, merged, skipped, turnCounts } = found;
  return { version: indexVersion, key, columns, digest: hash.digest('hex'), count, lines, merged, skipped, turnCounts };
}

const namedLines = 5;

/** A file can be read by its beginning, and is in no other form. Throws a usage error that says what it is instead. */
async function requireForm(path: string): Promise<void> {
  const file = await openRecords(path, (column) => readFields.has(column));
  if (file.container === 'parquet') throw convertible(path, 'it is Parquet');
  // Its columns are looked for as it is read.
  if (extname(path).toLowerCase() === '.csv') return;
  const { values } = await firstValues(file);
  const form = formOf(values);
  if (form === undefined || (file.container === 'jsonl' && values.some(hasMessages))) return;
  throw convertible(path, `it has the form ${form}, in ${containers[file.container]}`);
}

const containers = { jsonl: 'JSON Lines', json: 'one JSON document', csv: 'a table' } as const;

const hasMessages = (value: unknown): boolean => isObject(value) && Object.hasOwn(value, 'messages');

/** What was found in it: conversations, and no more malformed lines than are allowed. */
function requireFound(
  path: string,
  { count, lines, skipped }: Pick<IndexHeader, 'count' | 'lines' | 'skipped'>,
  maxMalformed: MalformedBound,
): void {
  if (lines === 0) throw refused(path, 'it has no lines', 'Give a file with one conversation a line.');
  const max = malformedLimit(lines, maxMalformed);
  if (count > 0 && skipped.lines <= max) return;
  const named = skipped.first.slice(0, namedLines).map(({ line, why }) => `  line ${String(line)}: ${why}`);
  throw refused(
    path,
    `${countOf(skipped.lines, 'line')} of ${formatCount(lines)} ${skipped.lines === 1 ? 'is' : 'are'} no conversation${count === 0 ? '' : `, and at most ${formatCount(max)} may be`}:\n${named.join('\n')}${skipped.lines > named.length ? '\n  ...' : ''}\nIt cannot be used`,
    count === 0
      ? `A line is {"messages":[{"role":"user","content":"..."}]}. Other forms are converted: ${conversionOf(path)}`
      : `Correct these lines, or leave them out: ${conversionOf(path)}\nfromFile('...', { maxMalformed: '5%' }) allows more.`,
  );
}

/** Of a share one line at least: the last one of a file is often cut off. */
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
