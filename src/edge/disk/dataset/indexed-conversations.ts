import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { ChatLoadError } from '../../../base/errors.ts';
import { countUserTurns, type Conversation, type CountedConversations } from '../../../dataset/conversation.ts';
import { bytesAt, piecesOf } from '../../open-file.ts';
import { closeWhenUnused, type RecordIndex } from '../record-index.ts';
import { type IndexHeader, parseLine, parseRows, readRecord, readTurns } from './find-conversations.ts';

/** Returns the conversations of an open file with an index. Closes the file when they are no longer used. */
export function indexedConversations(
  path: string,
  file: number,
  { index, header }: { index: RecordIndex; header: IndexHeader },
): CountedConversations {
  closeWhenUnused(index, file);
  const { count, digest, turnCounts, skipped, merged, columns, key } = header;
  /** Modification time at which the content was last known to match the index. */
  let modified = BigInt(key.modified);
  const error = (otherwise: string): ChatLoadError => {
    const more = fstatSync(file).size - key.size;
    const how =
      more === 0 ? otherwise : `it has ${String(Math.abs(more))} bytes ${more > 0 ? 'more' : 'less'} than before`;
    return new ChatLoadError('usage', {
      message: `${path} has changed since it was opened: ${how}.`,
      hint: 'Do not change the file during a run; start the run again to use its current content.',
    });
  };
  /** Compares the content of a small file, and size, modification time and samples of a larger one. */
  const changed = (): ChatLoadError | undefined => {
    const isSame =
      key.size > maxBytesReadAgain
        ? isSameFile(keyOfFile(file), key)
        : fstatSync(file).size === key.size && digestOfFile(file, key.size) === digest;
    return isSame ? undefined : error('it was written to');
  };
  /** Checks that the file is unchanged; called after a read, to detect a change during the read. */
  const requireUnchanged = (): void => {
    const { mtimeNs } = fstatSync(file, { bigint: true });
    if (mtimeNs === modified) return;
    const problem = changed();
    if (problem !== undefined) throw problem;
    modified = mtimeNs;
  };
  const at = (conversation: number): Conversation => {
    const { offset, bytes: length, turns, line } = index.at(conversation, readRecord);
    const bytes = bytesAt(file, offset, length);
    if (bytes.length < length) throw error('it was written to');
    requireUnchanged();
    const read = columns === null ? parseLine(bytes) : parseRows(bytes, columns);
    if (typeof read === 'string' || countUserTurns(read) !== turns) throw error(`line ${String(line)} has changed`);
    return read;
  };
  const turnsAt = (conversation: number): number => index.at(conversation, readTurns);
  return { count, digest, turnCounts, skipped, merged, at, turnsAt, changed };
}

/** Takes a few hundredths of a second. */
const maxBytesReadAgain = 16 * 1024 * 1024;

/** Identifies the content of a file. `modified`: nanoseconds since 1970; `sample`: SHA-256 of blocks spread over the file. */
export type FileKey = IndexHeader['key'];

const blocks = 16;
const blockBytes = 4096;

export function keyOfFile(file: number): FileKey {
  const { size: bytes, mtimeNs } = fstatSync(file, { bigint: true });
  const size = Number(bytes);
  const hash = createHash('sha256');
  const last = Math.max(0, size - blockBytes);
  for (let index = 0; index < blocks; index++)
    hash.update(bytesAt(file, Math.floor((last * index) / (blocks - 1)), blockBytes));
  return { size, modified: String(mtimeNs), sample: hash.digest('hex') };
}

export function isSameFile(one: FileKey, other: FileKey): boolean {
  return one.size === other.size && one.modified === other.modified && one.sample === other.sample;
}

/** Returns the SHA-256 of the first `size` bytes of an open file. */
function digestOfFile(file: number, size: number): string {
  const hash = createHash('sha256');
  for (const block of piecesOf(file, size)) hash.update(block);
  return hash.digest('hex');
}
