import { createHash } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';

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
  const block = Buffer.alloc(blockBytes);
  const last = Math.max(0, size - blockBytes);
  for (let index = 0; index < blocks; index++) {
    const read = readSync(file, block, 0, blockBytes, Math.floor((last * index) / (blocks - 1)));
    hash.update(block.subarray(0, read));
  }
  return hash.digest('hex');
}

/** SHA-256 of the first `size` bytes of an open file. */
export function digestOfFile(file: number, size: number): string {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(Math.min(size, 1024 * 1024));
  for (let at = 0; at < size;) {
    const read = readSync(file, chunk, 0, Math.min(chunk.length, size - at), at);
    if (read === 0) break;
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  return hash.digest('hex');
}
