import { closeSync, fstatSync } from 'node:fs';
import { bytesAt, piecesOf } from '../../open-file.ts';
import { ChatLoadError } from '../../../base/errors.ts';
import {
  type Conversation,
  type CountedConversations,
  type Skipped,
  countUserTurns,
} from '../../../dataset/conversation.ts';
import type { RecordIndex } from '../record-index/record-index.ts';
import { parseRows } from './csv-conversations.ts';
import { type ConversationRecord, type IndexHeader, parseLine, readRecord, readTurns } from './found-conversations.ts';
import { createHash } from 'node:crypto';

interface OpenFiles {
  /** As it is called in messages. */
  path: string;
  file: number;
  indexFile: number;
}

/** Nobody closes conversations: a run ends in many places, and its sessions may be asked about after it. */
const unused = new FinalizationRegistry<readonly number[]>((files) => files.forEach((file) => closeSync(file)));

/** The conversations of an open file, by its index. */
export class IndexedConversations implements CountedConversations {
  readonly count: number;
  readonly digest: string;
  readonly turnCounts: readonly (readonly [turns: number, conversations: number])[];
  readonly skipped: Skipped;
  readonly merged: number;
  readonly #open: OpenFiles;
  readonly #index: RecordIndex;
  readonly #key: FileKey;
  /** The time of change at which the content was last known to be that of the index. */
  #modified: bigint;
  readonly #columns: IndexHeader['columns'];

  constructor(open: OpenFiles, { index, header }: { index: RecordIndex; header: IndexHeader }) {
    this.#open = open;
    this.#index = index;
    this.#key = header.key;
    this.#modified = BigInt(header.key.modified);
    this.#columns = header.columns;
    this.count = header.count;
    this.digest = header.digest;
    this.turnCounts = header.turnCounts;
    this.skipped = header.skipped;
    this.merged = header.merged;
    unused.register(this, [open.file, open.indexFile]);
  }

  turnsAt(index: number): number {
    return this.#index.at(index, readTurns);
  }

  at(index: number): Conversation {
    const record = this.#index.at(index, readRecord);
    const bytes = this.#bytesOf(record);
    const read = this.#columns === null ? parseLine(bytes) : parseRows(bytes, this.#columns);
    if (typeof read === 'string' || countUserTurns(read) !== record.turns)
      throw this.#changed(`line ${String(record.line)} is not what it was`);
    return read;
  }

  /** The content of a small file decides; of a larger one size, time of change and samples. */
  changed(): ChatLoadError | undefined {
    const { file } = this.#open;
    const { size } = this.#key;
    const isSame =
      size > maxBytesReadAgain
        ? isSameFile(keyOfFile(file), this.#key)
        : fstatSync(file).size === size && digestOfFile(file, size) === this.digest;
    return isSame ? undefined : this.#changed('it was written to');
  }

  #bytesOf(record: ConversationRecord): Buffer {
    const { file } = this.#open;
    const bytes = bytesAt(file, record.offset, record.bytes);
    if (bytes.length < record.bytes) throw this.#changed('it was written to');
    // Behind the read: what is written meanwhile is noticed too.
    const { mtimeNs } = fstatSync(file, { bigint: true });
    if (mtimeNs === this.#modified) return bytes;
    const changed = this.changed();
    if (changed !== undefined) throw changed;
    this.#modified = mtimeNs;
    return bytes;
  }

  #changed(otherwise: string): ChatLoadError {
    const more = fstatSync(this.#open.file).size - this.#key.size;
    const how =
      more === 0 ? otherwise : `it has ${String(Math.abs(more))} bytes ${more > 0 ? 'more' : 'less'} than then`;
    return new ChatLoadError('usage', {
      message: `${this.#open.path} has changed since it was opened: ${how}.`,
      hint: 'Leave the file as it is while a run goes on; start it again for what is in the file now.',
    });
  }
}

/** Read within some hundredths of a second. */
const maxBytesReadAgain = 16 * 1024 * 1024;

/** By what a file is known again. */
export interface FileKey {
  size: number;
  /** Nanoseconds since 1970, as digits. */
  modified: string;
  /** SHA-256 of blocks that are spread over it. */
  sample: string;
}

const blocks = 16;
const blockBytes = 4096;

/** The key of an open file. */
export function keyOfFile(file: number): FileKey {
  const { size, mtimeNs } = fstatSync(file, { bigint: true });
  return { size: Number(size), modified: String(mtimeNs), sample: sampleOf(file, Number(size)) };
}

export function isSameFile(one: FileKey, other: FileKey): boolean {
  return one.size === other.size && one.modified === other.modified && one.sample === other.sample;
}

function sampleOf(file: number, size: number): string {
  const hash = createHash('sha256');
  const last = Math.max(0, size - blockBytes);
  for (let index = 0; index < blocks; index++)
    hash.update(bytesAt(file, Math.floor((last * index) / (blocks - 1)), blockBytes));
  return hash.digest('hex');
}

/** SHA-256 of the first `size` bytes of an open file. */
function digestOfFile(file: number, size: number): string {
  const hash = createHash('sha256');
  for (const piece of piecesOf(file, size)) hash.update(piece);
  return hash.digest('hex');
}
