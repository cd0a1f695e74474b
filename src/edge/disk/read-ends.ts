import { closeSync, fstatSync, readSync } from 'node:fs';
import { openPlain } from '../open-file.ts';

const newline = 0x0a;

/** Longer than any line of ours; a longer one is not read. */
const longestLine = 8 * 1024 * 1024;

/** Whole lines of a file that grows, without their newline: the first, and the last that has come to its end. */
export interface FileEnds {
  first: Buffer | undefined;
  last: Buffer | undefined;
}

/** Reads the ends of a file, whatever its length. Throws what the system says. */
export function readEnds(path: string): FileEnds {
  const file = openPlain(path);
  try {
    const { size } = fstatSync(file);
    const first = widen(size, (bytes) => {
      const start = read(file, 0, bytes);
      const end = start.indexOf(newline);
      return end === -1 ? undefined : start.subarray(0, end);
    });
    const last = widen(size, (bytes) => {
      const tail = read(file, size - bytes, bytes);
      const end = tail.lastIndexOf(newline);
      const before = end <= 0 ? -1 : tail.lastIndexOf(newline, end - 1);
      return end === -1 || (before === -1 && bytes < size) ? undefined : tail.subarray(before + 1, end);
    });
    return { first, last };
  } finally {
    closeSync(file);
  }
}

/** Looks at more and more bytes of a file, until there is something. */
function widen(size: number, look: (bytes: number) => Buffer | undefined): Buffer | undefined {
  for (let bytes = 64 * 1024; ; bytes *= 8) {
    const found = look(Math.min(bytes, size));
    if (found !== undefined || bytes >= size || bytes >= longestLine) return found;
  }
}

function read(file: number, from: number, bytes: number): Buffer {
  const room = Buffer.alloc(bytes);
  return room.subarray(0, readSync(file, room, 0, bytes, from));
}
