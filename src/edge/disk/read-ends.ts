import { fstatSync } from 'node:fs';
import { bytesAt, withPlain } from '../open-file.ts';

const newline = 0x0a;

/** Maximum length of a line that is read; lines of chat-load are shorter. */
const maxLineLength = 8 * 1024 * 1024;

/** The ends of a growing file, from complete lines only. */
export interface FileEnds<Value> {
  /** First line, without its line break. */
  first: Buffer | undefined;
  /** Value of the last line that has one. */
  last: Value | undefined;
}

/**
 * Reads the ends of a file of any length. Calls `valueOf` with complete lines, from the last one backwards, until it returns
 * a value. Throws system errors.
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

/** `isWhole`: the bytes begin at the start of a line. */
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

/** Calls `find` with a growing number of bytes until it returns a value. */
function widen<Value>(size: number, find: (bytes: number) => Value | undefined): Value | undefined {
  for (let bytes = 64 * 1024; ; bytes *= 8) {
    const found = find(Math.min(bytes, size));
    if (found !== undefined || bytes >= size || bytes >= maxLineLength) return found;
  }
}

const headBytes = 64 * 1024;

/** Reads the first 64 kB of a file. Throws system errors, and if it is not a plain file. */
export function readHead(path: string): Buffer {
  return withPlain(path, (file) => readHeadOf(file));
}

/** Reads the first 64 kB of a file that contain more than white space. */
export function readTextHead(path: string): Buffer {
  return withPlain(path, (file) => {
    for (let from = 0; ; from += headBytes) {
      const head = readHeadOf(file, from);
      if (head.length < headBytes || head.toString('utf8').trim() !== '') return head;
    }
  });
}

/** Reads 64 kB of an open file. */
export function readHeadOf(file: number, from = 0): Buffer {
  return bytesAt(file, from, headBytes);
}
