import { fstatSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { bytesAt, piecesOf } from '../../open-file.ts';
import { parseJson } from '../../../base/json.ts';
import { isObject } from '../../../base/is-object.ts';

const writtenRecords = 4096;

/** Writes an index: records of one size, and behind them what is said of all. */
export class IndexWriter {
  count = 0;
  readonly #file: number;
  readonly #recordBytes: number;
  readonly #block: Buffer;
  #used = 0;
  #crc = 0;

  /** The file is open and empty. */
  constructor(file: number, recordBytes: number) {
    this.#file = file;
    this.#recordBytes = recordBytes;
    this.#block = Buffer.alloc(writtenRecords * recordBytes);
  }

  /** `fill` writes a record from an offset in a buffer on. */
  add(fill: (block: Buffer, offset: number) => void): void {
    if (this.#used === this.#block.length) this.#flush();
    fill(this.#block, this.#used);
    this.#used += this.#recordBytes;
    this.count += 1;
  }

  finish(header: unknown): void {
    this.#flush();
    writeWhole(this.#file, trailerOf({ header, recordBytes: this.#recordBytes, count: this.count, crc: this.#crc }));
  }

  #flush(): void {
    const filled = this.#block.subarray(0, this.#used);
    this.#crc = crc32(filled, this.#crc);
    writeWhole(this.#file, filled);
    this.#used = 0;
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}

const blockRecords = 512;
const maxBlocks = 64;

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
    if (this.#blocks.size < maxBlocks || oldest === undefined) return undefined;
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
  let crc = 0;
  for (const piece of piecesOf(file, bytes)) crc = crc32(piece, crc);
  return crc;
}

/** What an index says of its records. */
interface Trailer {
  header: unknown;
  recordBytes: number;
  count: number;
  /** Of all records. */
  crc: number;
}

// At the end of an index: the trailer as JSON, then its length, its checksum, and this mark.
const mark = Buffer.from('chatload');
const endBytes = 8 + mark.length;
const maxTrailerBytes = 16 * 1024 * 1024;

function trailerOf(trailer: Trailer): Buffer {
  const json = Buffer.from(JSON.stringify(trailer));
  const end = Buffer.alloc(8);
  end.writeUInt32LE(json.length, 0);
  end.writeUInt32LE(crc32(json), 4);
  return Buffer.concat([json, end, mark]);
}

/** The trailer of an open index; `undefined` where it is damaged, or of another kind. */
function readTrailer(file: number): Trailer | undefined {
  const { size } = fstatSync(file);
  const end = bytesAt(file, Math.max(0, size - endBytes), endBytes);
  if (!end.subarray(8).equals(mark)) return undefined;
  const length = end.readUInt32LE(0);
  if (length > maxTrailerBytes || length > size - endBytes) return undefined;
  const at = size - endBytes - length;
  const json = bytesAt(file, at, length);
  if (crc32(json) !== end.readUInt32LE(4)) return undefined;
  const trailer: unknown = parseJson(json.toString('utf8'));
  return isTrailer(trailer) && trailer.count * trailer.recordBytes === at ? trailer : undefined;
}

const isTrailer = (value: unknown): value is Trailer =>
  isObject(value) && ['recordBytes', 'count', 'crc'].every((key) => typeof value[key] === 'number');
