import { read } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { parseJson } from '../../base/json.ts';
import { printableJson } from '../../base/printable.ts';

/** A line of a file, without its line break. */
export interface Line {
  /** Line number, from 1. */
  number: number;
  /** Position in the file, in bytes. */
  offset: number;
  length: number;
  /** Valid until the next block is read; `undefined`: the line is too long. */
  bytes: Buffer | undefined;
  /** True if the file ended without a line break after it. */
  isLast: boolean;
}

export type Blocks = AsyncIterable<Buffer> | Iterable<Buffer>;

const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const markLength = (line: Buffer): number =>
  line[0] === byteOrderMark[0] && line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;

/** Yields the lines of a file as its blocks arrive. */
export async function* readLines(blocks: Blocks, maxBytes: number): AsyncGenerator<Iterable<Line>> {
  const splitter = new LineSplitter(maxBytes);
  for await (const block of blocks) yield splitter.push(block);
  yield splitter.end();
}

/** Splits blocks of bytes into lines; holds at most one line. */
export class LineSplitter {
  readonly #held: HeldBytes;
  readonly #isExact: boolean;
  #number = 0;
  #offset = 0;

  /** `isExact` keeps a byte order mark and carriage returns in the lines. */
  constructor(maxBytes: number, { isExact = false } = {}) {
    this.#held = new HeldBytes(maxBytes);
    this.#isExact = isExact;
  }

  /** True once the first line is too long, before its end is known. */
  get isFirstTooLong(): boolean {
    return this.#number === 0 && this.#held.isTooLong;
  }

  /** Yields the lines that end in a block; the caller must consume them all before the next block. */
  *push(block: Buffer): Generator<Line, void> {
    let from = 0;
    for (let end = block.indexOf(newline); end !== -1; end = block.indexOf(newline, from)) {
      yield this.#line(block.subarray(from, end), false);
      from = end + 1;
    }
    this.#held.add(block.subarray(from));
  }

  /** Yields the last line, if no line break follows it. */
  *end(): Generator<Line, void> {
    if (this.#held.length > 0) yield this.#line(Buffer.alloc(0), true);
  }

  #line(rest: Buffer, isLast: boolean): Line {
    const { length, bytes } = this.#held.take(rest);
    const offset = this.#offset;
    this.#offset += length + 1;
    this.#number += 1;
    if (bytes === undefined || this.#isExact) return { number: this.#number, offset, length, bytes, isLast };
    const start = this.#number === 1 ? markLength(bytes) : 0;
    const end = Math.max(start, bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length);
    const own = bytes.subarray(start, end);
    return { number: this.#number, offset: offset + start, length: own.length, bytes: own, isLast };
  }
}

/** Collects the bytes of a record until its end; a record that is too long is only counted. */
export class HeldBytes {
  length = 0;
  readonly #max: number;
  #parts: Buffer[] = [];

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  get isTooLong(): boolean {
    return this.length > this.#max;
  }

  /** Keeps a copy: the buffer of a block is reused. */
  add(part: Buffer): void {
    this.length += part.length;
    if (this.isTooLong) this.#parts = [];
    else if (part.length > 0) this.#parts.push(Buffer.from(part));
  }

  /** Returns the record that ends with these bytes, and starts the next one. `bytes`: `undefined` if it is too long. */
  take(rest: Buffer): { length: number; bytes: Buffer | undefined } {
    const length = this.length + rest.length;
    const parts = this.#parts;
    this.#parts = [];
    this.length = 0;
    if (length > this.#max) return { length, bytes: undefined };
    return { length, bytes: parts.length === 0 ? rest : Buffer.concat([...parts, rest], length) };
  }
}

export function isBlank(line: Buffer): boolean {
  return line[0] !== openBrace && line.length < maxBlank && line.toString('latin1').trim() === '';
}

const openBrace = 0x7b;
const maxBlank = 1000;

const blockBytes = 1024 * 1024;
const readAsync = promisify(read);

/** Reads an open file in blocks, each while the previous one is processed; calls `seen` with each. A block is valid until the next one. */
export async function* readBlocks(file: number, seen: (block: Buffer) => void): AsyncGenerator<Buffer> {
  let [filling, free] = [Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)];
  let position = 0;
  let next = readAsync(file, filling, 0, blockBytes, position);
  try {
    for (let { bytesRead } = await next; bytesRead > 0; { bytesRead } = await next) {
      const block = filling.subarray(0, bytesRead);
      position += bytesRead;
      [filling, free] = [free, filling];
      next = readAsync(file, filling, 0, blockBytes, position);
      seen(block);
      yield block;
    }
  } finally {
    // The file may be closed only after the last read.
    await next.catch(() => undefined);
  }
}

/**
 * Encodes a line of a journal: an entry as JSON, after the CRC-32 of that text (UTF-8) in eight hexadecimal digits.
 *
 *     {"sum":"1c291ca3","entry":{"kind":"interval", ...}}
 */
export function encodeLine(entry: object): Buffer {
  const text = printableJson(entry);
  return Buffer.from(`${before}${sumOf(text)}${between}${text}${after}\n`);
}

/** Decodes a line without its line break; `undefined` if the line is not exactly as written, except for a byte order mark. */
export function decodeLine(marked: Buffer): { entry: unknown } | undefined {
  const line = marked.subarray(markLength(marked));
  const sumEnd = before.length + sumDigits;
  const textStart = sumEnd + between.length;
  const text = line.subarray(textStart, line.length - after.length);
  const frame = `${before}${sumOf(text)}${between}`;
  if (line.toString('latin1', 0, textStart) !== frame || line.toString('latin1', line.length - 1) !== after)
    return undefined;
  try {
    return { entry: parseJson(text.toString('utf8')) };
  } catch {
    return undefined;
  }
}

const before = '{"sum":"';
const between = '","entry":';
const after = '}';
const sumDigits = 8;

const sumOf = (text: string | Buffer): string => crc32(text).toString(16).padStart(sumDigits, '0');
