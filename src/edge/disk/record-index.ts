import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { isObject } from '../../base/is-object.ts';
import { parseJson } from '../../base/json.ts';
import { bytesAt, piecesOf } from '../open-file.ts';
import { cacheFolder } from './calibration-file.ts';
import { codeOf, removeWhenEnded, temporaryFor } from './unwritable.ts';

/** Definition of an index: records of one size, and a header. */
interface IndexForm<Header> {
  /** Suffix of the names of such indexes. */
  suffix: string;
  recordBytes: number;
  /** Size of a record, for errors: `20 bytes per conversation`. */
  size: string;
  /** Returns the header; `undefined` if it belongs to another file or version. */
  read: (header: unknown) => Header | undefined;
  /** Reads the file, adds its records, and returns the header. `path` is unique: temporary files may begin with it. */
  write: (writer: IndexWriter, path: string) => Promise<Header>;
}

/** A complete index of the current file. The index closes its own file when it is no longer used. */
interface OpenIndex<Header> {
  index: RecordIndex;
  header: Header;
}

/**
 * Runs end in many places, and their sessions may be inspected afterwards, so no caller knows when to close the file.
 */
const unused = new FinalizationRegistry<number>((file) => closeSync(file));

/** Closes a file once nothing refers to its owner. */
export function closeWhenUnused(owner: object, file: number): void {
  unused.register(owner, file);
}

/** Opens the index of a file: an existing one, or a new one. Throws an environment error if it cannot be written. */
export async function openIndexed<Header>(path: string, form: IndexForm<Header>): Promise<OpenIndex<Header>> {
  const paths = indexPaths(path, form.suffix);
  const found = findIndex(paths, form) ?? (await makeIndex(path, paths, form));
  closeWhenUnused(found.index, found.index.file);
  return found;
}

/** Returns the possible paths of an index: next to its file, or in the user's cache. */
function indexPaths(path: string, suffix: string): string[] {
  const real = realpathSync(path);
  const name = createHash('sha256').update(real).digest('hex').slice(0, 24);
  const beside = `${real}.${suffix}`;
  // A name has at most 255 bytes.
  const isShort = Buffer.byteLength(basename(beside)) <= 255;
  return [...(isShort ? [beside] : []), join(cacheFolder(), `${name}.${suffix}`)];
}

function findIndex<Header>(paths: readonly string[], { recordBytes, read }: IndexForm<Header>) {
  for (const path of paths) {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch {
      continue;
    }
    const index = openIndex(file, recordBytes);
    const header = index && read(index.header);
    if (index !== undefined && header !== undefined) return { index, header };
    closeSync(file);
  }
  return undefined;
}

async function makeIndex<Header>(
  path: string,
  paths: readonly string[],
  { suffix, recordBytes, size, write }: IndexForm<Header>,
): Promise<OpenIndex<Header>> {
  let place: IndexPlace | undefined;
  try {
    place = openPlace(paths, suffix);
    const writer = new IndexWriter(place.file, recordBytes);
    const header = await write(writer, place.path);
    writer.finish(header);
    const index = openIndex(place.file, recordBytes);
    if (index === undefined) throw new Error('an index that was just written cannot be read');
    place.keep();
    return { index, header };
  } catch (thrown) {
    if (place !== undefined) closeSync(place.file);
    if (thrown instanceof ChatLoadError || codeOf(thrown) === undefined) throw thrown;
    throw new ChatLoadError('environment', {
      message: `${path} cannot be indexed: ${fileReason(thrown)}.`,
      hint: `The index needs about ${size}, next to the file or in the folder that CHAT_LOAD_CACHE names.`,
      cause: thrown,
    });
  } finally {
    place?.remove();
  }
}

/** An index that is being written, next to other processes that write the same. */
interface IndexPlace {
  /** Open for writing and reading. */
  file: number;
  path: string;
  /** Renames it to its final path, if it has one. */
  keep(): void;
  remove(): void;
}

/** Opens a new file for an index: at the first writable path, otherwise a file that only this process can access. */
function openPlace(paths: readonly string[], suffix: string): IndexPlace {
  for (const kept of paths) {
    const path = temporaryFor(kept);
    // Before the file exists: a signal may arrive at once.
    const remove = removeWhenEnded(path);
    try {
      mkdirSync(dirname(kept), { recursive: true });
      const file = openSync(path, 'wx+', 0o644);
      return { file, path, keep: () => renameIfPossible(path, kept), remove };
    } catch {
      // The next one.
      remove();
    }
  }
  const path = temporaryFor(join(tmpdir(), suffix));
  const file = openSync(path, 'wx+', 0o600);
  rmSync(path);
  return { file, path, keep: () => undefined, remove: () => undefined };
}

function renameIfPossible(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // This process can use it anyway; the next one makes it again.
  }
}

const writtenRecords = 4096;

/** Writes an index: its records, then the trailer. */
export class IndexWriter {
  count = 0;
  readonly #file: number;
  readonly #recordBytes: number;
  readonly #block: Buffer;
  #used = 0;
  #crc = 0;

  /** `file`: open and empty. */
  constructor(file: number, recordBytes: number) {
    this.#file = file;
    this.#recordBytes = recordBytes;
    this.#block = Buffer.alloc(writtenRecords * recordBytes);
  }

  /** Adds a record, which `fill` writes to a buffer at an offset. */
  add(fill: (block: Buffer, offset: number) => void): void {
    if (this.#used === this.#block.length) this.#flush();
    fill(this.#block, this.#used);
    this.#used += this.#recordBytes;
    this.count += 1;
  }

  finish(header: unknown): void {
    this.#flush();
    writeAll(this.#file, trailerOf({ header, recordBytes: this.#recordBytes, count: this.count, crc: this.#crc }));
  }

  #flush(): void {
    const filled = this.#block.subarray(0, this.#used);
    this.#crc = crc32(filled, this.#crc);
    writeAll(this.#file, filled);
    this.#used = 0;
  }
}

/** Writes all bytes, whatever number the system takes at a time. */
export function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}

const blockRecords = 512;
const maxBlocks = 64;

/** The records of a complete index, by number, in constant memory: keeps the blocks that were used last. */
export class RecordIndex {
  readonly count: number;
  readonly header: unknown;
  readonly file: number;
  readonly #recordBytes: number;
  /** In the order of their last use. */
  readonly #blocks = new Map<number, Buffer>();

  constructor(file: number, { count, header, recordBytes }: Trailer) {
    this.file = file;
    this.count = count;
    this.header = header;
    this.#recordBytes = recordBytes;
  }

  /** Reads record `index`, from 0: calls `read` with a buffer, which is reused afterwards, and an offset. */
  at<Record>(index: number, read: (block: Buffer, offset: number) => Record): Record {
    if (!(index >= 0 && index < this.count)) throw new Error(`no record ${String(index)}`);
    return read(this.#block(Math.floor(index / blockRecords)), (index % blockRecords) * this.#recordBytes);
  }

  #block(number: number): Buffer {
    const kept = this.#blocks.get(number);
    this.#blocks.delete(number);
    const block = kept ?? this.#read(number);
    this.#blocks.set(number, block);
    return block;
  }

  #read(number: number): Buffer {
    const block = this.#takeOldest() ?? Buffer.allocUnsafeSlow(blockRecords * this.#recordBytes);
    const first = number * blockRecords;
    const bytes = Math.min(blockRecords, this.count - first) * this.#recordBytes;
    if (readSync(this.file, block, 0, bytes, first * this.#recordBytes) < bytes)
      throw new Error('an index became shorter while it was read');
    return block;
  }

  /** Reuses the least recently used block when there are enough blocks. */
  #takeOldest(): Buffer | undefined {
    const [oldest] = this.#blocks;
    if (this.#blocks.size < maxBlocks || oldest === undefined) return undefined;
    this.#blocks.delete(oldest[0]);
    return oldest[1];
  }
}

/** Opens the index in an open file; `undefined` if any of it is damaged, or its records have another size. */
function openIndex(file: number, recordBytes: number): RecordIndex | undefined {
  try {
    const trailer = readTrailer(file);
    if (trailer?.recordBytes !== recordBytes) return undefined;
    let crc = 0;
    for (const block of piecesOf(file, trailer.count * recordBytes)) crc = crc32(block, crc);
    return crc === trailer.crc ? new RecordIndex(file, trailer) : undefined;
  } catch {
    return undefined;
  }
}

interface Trailer {
  header: unknown;
  recordBytes: number;
  count: number;
  /** Checksum of all records. */
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

/** Reads the trailer of an open index; `undefined` if it is damaged, or the file is not an index. */
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
