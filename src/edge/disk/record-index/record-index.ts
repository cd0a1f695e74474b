import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { readTrailer, type Trailer } from './trailer.ts';

const blockRecords = 512;
const mostBlocks = 64;

/** The records of an index, by number, in constant memory: some blocks of them are kept. */
export class RecordIndex {
  readonly count: number;
  readonly header: unknown;
  readonly #file: number;
  readonly #recordBytes: number;
  /** Those that were asked for last come last. */
  readonly #blocks = new Map<number, Buffer>();

  /** Of an index that is known to be whole: `openIndex` gives one. */
  constructor(file: number, { count, header, recordBytes }: Trailer) {
    this.#file = file;
    this.count = count;
    this.header = header;
    this.#recordBytes = recordBytes;
  }

  /** Calls `read` with a buffer and the offset in it of record `index`, from 0. The buffer is used again afterwards. */
  at<Record>(index: number, read: (block: Buffer, offset: number) => Record): Record {
    if (!(index >= 0 && index < this.count)) throw new Error(`there is no record ${String(index)}`);
    return read(this.#block(Math.floor(index / blockRecords)), (index % blockRecords) * this.#recordBytes);
  }

  #block(number: number): Buffer {
    const kept = this.#blocks.get(number);
    if (kept !== undefined) {
      this.#blocks.delete(number);
      this.#blocks.set(number, kept);
      return kept;
    }
    const block = this.#oldest() ?? Buffer.allocUnsafeSlow(blockRecords * this.#recordBytes);
    const first = number * blockRecords;
    const bytes = Math.min(blockRecords, this.count - first) * this.#recordBytes;
    if (readSync(this.#file, block, 0, bytes, first * this.#recordBytes) < bytes)
      throw new Error('an index became shorter while it was read');
    this.#blocks.set(number, block);
    return block;
  }

  /** The block that was not asked for the longest, once there are enough of them. */
  #oldest(): Buffer | undefined {
    const [oldest] = this.#blocks;
    if (this.#blocks.size < mostBlocks || oldest === undefined) return undefined;
    this.#blocks.delete(oldest[0]);
    return oldest[1];
  }
}

/** The index in an open file; `undefined` where it is damaged in any place, or has records of another size. */
export function openIndex(file: number, recordBytes: number): RecordIndex | undefined {
  try {
    const trailer = readTrailer(file);
    if (trailer?.recordBytes !== recordBytes) return undefined;
    return checksumOf(file, trailer.count * recordBytes) === trailer.crc ? new RecordIndex(file, trailer) : undefined;
  } catch {
    return undefined;
  }
}

function checksumOf(file: number, bytes: number): number {
  const chunk = Buffer.alloc(Math.min(bytes, 4 * 1024 * 1024));
  let crc = 0;
  for (let at = 0; at < bytes;) {
    const read = readSync(file, chunk, 0, Math.min(chunk.length, bytes - at), at);
    if (read === 0) return NaN;
    crc = crc32(chunk.subarray(0, read), crc);
    at += read;
  }
  return crc;
}
