import { closeSync } from 'node:fs';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import type { CountedConversations } from '../../../dataset/conversation.ts';
import type { MalformedBound } from '../../../scenario/conversation-file.ts';
import { openPlain } from '../../open-file.ts';
import { isSameFile, keyOfFile, type FileKey } from '../record-index/file-key.ts';
import { findIndex, type FoundIndex } from '../record-index/find-index.ts';
import { buildIndex } from './build-index.ts';
import { recordBytes } from './conversation-record.ts';
import { indexSuffix, readHeader, type IndexHeader } from './index-header.ts';
import { IndexedConversations } from './indexed-conversations.ts';
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
    const key = keyOfFile(file);
    const { index, header, indexFile } = keptIndex(path, key) ?? (await newIndex(path, { file, key }));
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

async function newIndex(path: string, opened: { file: number; key: FileKey }): Promise<FoundIndex<IndexHeader>> {
  await requireConversations.form(path);
  const { index, indexFile } = await buildIndex(path, opened);
  const header = readHeader(index.header);
  if (header === undefined) throw new Error('an index was written that cannot be read');
  return { index, header, indexFile };
}

/** An index that was made before; `undefined`: there is none, or none of this very file. */
function keptIndex(path: string, key: FileKey): FoundIndex<IndexHeader> | undefined {
  const read = (given: unknown): IndexHeader | undefined => {
    const header = readHeader(given);
    return header !== undefined && isSameFile(header.key, key) ? header : undefined;
  };
  return findIndex(path, { suffix: indexSuffix, recordBytes, read });
}
