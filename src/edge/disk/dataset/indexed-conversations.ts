import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { ChatLoadError } from '../../../base/errors.ts';
import {
  countUserTurns,
  type Conversation,
  type CountedConversations,
  type Skipped,
} from '../../../dataset/conversation.ts';
import { bytesAt, piecesOf } from '../../open-file.ts';
import { closeWhenUnused, type RecordIndex } from '../record-index.ts';
import { type IndexHeader, parseLine, parseRows, readRecord, readTurns } from './find-conversations.ts';

/** The conversations of an open file with an index. */
export class IndexedConversations implements CountedConversations {
  readonly count: number;
  readonly digest: string;
  readonly turnCounts: CountedConversations['turnCounts'];
  readonly skipped: Skipped;
  readonly merged: number;
  /** Path as given, for errors. */
  readonly #path: string;
  readonly #file: number;
  readonly #index: RecordIndex;
  readonly #key: FileKey;
  /** Modification time at which the content was last known to match the index. */
  #modified: bigint;
  readonly #columns: IndexHeader['columns'];

  constructor(path: string, file: number, { index, header }: { index: RecordIndex; header: IndexHeader }) {
    this.#path = path;
    this.#file = file;
    this.#index = index;
    this.#key = header.key;
    this.#modified = BigInt(header.key.modified);
    this.#columns = header.columns;
    this.count = header.count;
    this.digest = header.digest;
    this.turnCounts = header.turnCounts;
    this.skipped = header.skipped;
    this.merged = header.merged;
    closeWhenUnused(this, file);
  }

  turnsAt(index: number): number {
    return this.#index.at(index, readTurns);
  }

  at(index: number): Conversation {
    const { offset, bytes: length, turns, line } = this.#index.at(index, readRecord);
    const bytes = bytesAt(this.#file, offset, length);
    if (bytes.length < length) throw this.#changed('it was written to');
    this.#requireUnchanged();
    const read = this.#columns === null ? parseLine(bytes) : parseRows(bytes, this.#columns);
    if (typeof read === 'string' || countUserTurns(read) !== turns)
      throw this.#changed(`line ${String(line)} is not what it was`);
    return read;
  }

  /** Compares the content of a small file; size, modification time and samples of a larger one. */
  changed(): ChatLoadError | undefined {
    const { size } = this.#key;
    const isSame =
      size > maxBytesReadAgain
        ? isSameFile(keyOfFile(this.#file), this.#key)
        : fstatSync(this.#file).size === size && digestOfFile(this.#file, size) === this.digest;
    return isSame ? undefined : this.#changed('it was written to');
  }

  /** Called after a read, so that a change during the read is noticed. */
  #requireUnchanged(): void {
    const { mtimeNs } = fstatSync(this.#file, { bigint: true });
    if (mtimeNs === this.#modified) return;
    const changed = this.changed();
    if (changed !== undefined) throw changed;
    this.#modified = mtimeNs;
  }

  #changed(otherwise: string): ChatLoadError {
    const more = fstatSync(this.#file).size - this.#key.size;
    const how =
      more === 0 ? otherwise : `it has ${String(Math.abs(more))} bytes ${more > 0 ? 'more' : 'less'} than then`;
    return new ChatLoadError('usage', {
      message: `${this.#path} has changed since it was opened: ${how}.`,
      hint: 'Leave the file as it is while a run goes on; start it again for what is in the file now.',
    });
  }
}

/** Takes a few hundredths of a second. */
const maxBytesReadAgain = 16 * 1024 * 1024;

/** Identifies the content of a file. `modified`: nanoseconds since 1970; `sample`: SHA-256 of blocks spread over the file. */
export type FileKey = IndexHeader['key'];

const blocks = 16;
const blockBytes = 4096;

/** Returns the key of an open file. */
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
