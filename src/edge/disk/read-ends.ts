import { fstatSync } from 'node:fs';
import { bytesAt, withPlain } from '../open-file.ts';

const newline = 0x0a;

/** Longer than any line of ours; a longer one is not read. */
const maxLineLength = 8 * 1024 * 1024;

/** The ends of a file that grows, from its whole lines. */
export interface FileEnds<Value> {
  /** The first line, without its newline. */
  first: Buffer | undefined;
  /** The value of the last line that has one. */
  last: Value | undefined;
}

/**
 * Reads the ends of a file, whatever its length. `valueOf` is called with whole lines from the last one backwards, until
 * it returns a value. Throws what the system says.
 */
export function readEnds<Value>(path: string, valueOf: (line: Buffer) => Value | undefined): FileEnds<Value> {
  return withPlain(path, (file) => {
    const { size } = fstatSync(file);
    const first = widen(size, (bytes) => {
      const start = bytesAt(file, 0, bytes);
      const end = start.indexOf(newline);
      return end === -1 ? undefined : start.subarray(0, end);
    });
    const last = widen(size, (bytes) => lastValue(bytesAt(file, size - bytes, bytes), bytes === size, valueOf));
    return { first, last };
  });
}

/** `isWhole`: the bytes begin with a line, not within one. */
function lastValue<Value>(
  bytes: Buffer,
  isWhole: boolean,
  valueOf: (line: Buffer) => Value | undefined,
): Value | undefined {
  for (let end = bytes.lastIndexOf(newline); end !== -1;) {
    const before = end === 0 ? -1 : bytes.lastIndexOf(newline, end - 1);
    if (before === -1 && !isWhole) return undefined;
    const value = valueOf(bytes.subarray(before + 1, end));
    if (value !== undefined) return value;
    end = before;
  }
  return undefined;
}

/** Reads more and more bytes of a file, until they hold a value. */
function widen<Value>(size: number, look: (bytes: number) => Value | undefined): Value | undefined {
  for (let bytes = 64 * 1024; ; bytes *= 8) {
    const found = look(Math.min(bytes, size));
    if (found !== undefined || bytes >= size || bytes >= maxLineLength) return found;
  }
}

const maxBytes = 64 * 1024;

/** How a file begins: its first 64 kB at most. Throws what the system says, and where it is no plain file. */
export function readHead(path: string): Buffer {
  return withPlain(path, (file) => readHeadOf(file));
}

/** The same from the first block on in which there is more than white space. */
export function readTextHead(path: string): Buffer {
  return withPlain(path, (file) => {
    for (let from = 0; ; from += maxBytes) {
      const head = readHeadOf(file, from);
      if (head.length < maxBytes || head.toString('utf8').trim() !== '') return head;
    }
  });
}

/** The same of an open file. */
export function readHeadOf(file: number, from = 0): Buffer {
  return bytesAt(file, from, maxBytes);
}
