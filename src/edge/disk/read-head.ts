import { closeSync, readSync } from 'node:fs';
import { openPlain } from '../open-file.ts';

const mostBytes = 64 * 1024;

/** How a file begins: its first 64 kB at most. Throws what the system says, and where it is no plain file. */
export function readHead(path: string): Buffer {
  const file = openPlain(path);
  try {
    return readHeadOf(file);
  } finally {
    closeSync(file);
  }
}

/** The same from the first block on in which there is more than white space. */
export function readTextHead(path: string): Buffer {
  const file = openPlain(path);
  try {
    for (let from = 0; ; from += mostBytes) {
      const head = readHeadOf(file, from);
      if (head.length < mostBytes || !isBlank(head)) return head;
    }
  } finally {
    closeSync(file);
  }
}

const isBlank = (head: Buffer): boolean => head.toString('utf8').trim() === '';

/** The same of an open file. */
export function readHeadOf(file: number, from = 0): Buffer {
  const head = Buffer.alloc(mostBytes);
  return head.subarray(0, readSync(file, head, 0, mostBytes, from));
}
