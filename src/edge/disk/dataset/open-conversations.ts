import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { extname } from 'node:path';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import type { CountedConversations } from '../../../dataset/conversation.ts';
import type { MalformedBound } from '../../../scenario/conversation-file.ts';
import { openPlain } from '../../open-file.ts';
import { readHeadOf } from '../read-head.ts';
import { readBlocks } from '../lines.ts';
import { isSameFile, keyOfFile, type FileKey } from '../record-index/file-key.ts';
import { openIndexed, type OpenIndex } from '../record-index/open-indexed.ts';
import type { IndexWriter } from '../record-index/record-index.ts';
import { type IndexHeader, indexSuffix, indexVersion, readHeader, recordBytes } from './index-format.ts';
import { findInTable } from './csv-conversations.ts';
import { FoundConversations } from './found-conversations.ts';
import { IndexedConversations } from './indexed-conversations.ts';
import { findInLines } from './jsonl-conversations.ts';
import { requireConversations } from './require-conversations.ts';

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
  try {
    const { index, header, indexFile } = await openIndex(path, file);
    try {
      requireConversations.found(path, header, maxMalformed);
      return new IndexedConversations({ path, file, indexFile }, { index, header });
    } catch (thrown) {
      closeSync(indexFile);
      throw thrown;
    }
  } catch (thrown) {
    closeSync(file);
    throw thrown;
  }
}

function openToRead(path: string): number {
  try {
    return openPlain(path);
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `The conversations cannot be read from ${path}: ${fileReason(thrown)}.`,
      hint: 'Name a file of conversations, JSONL or CSV; its path is relative to the scenario.',
      cause: thrown,
    });
  }
}

async function openIndex(path: string, file: number): Promise<OpenIndex<IndexHeader>> {
  const key = keyOfFile(file);
  return openIndexed(path, {
    suffix: indexSuffix,
    recordBytes,
    prepare: () => requireConversations.form(path),
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
  if (columns !== null && 'problem' in columns)
    throw new ChatLoadError('usage', {
      message: `The conversations cannot be read from ${path}: ${columns.problem}.`,
      hint: columns.remedy,
    });
  const { count, lines, merged, skipped, turnCounts } = found;
  return { version: indexVersion, key, columns, digest: hash.digest('hex'), count, lines, merged, skipped, turnCounts };
}
