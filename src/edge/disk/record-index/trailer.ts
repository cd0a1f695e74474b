import { fstatSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { parseJson } from '../../../base/json.ts';
import { isObject } from '../../../base/is-object.ts';

/** What an index says of its records. */
export interface Trailer {
  header: unknown;
  recordBytes: number;
  count: number;
  /** Of all records. */
  crc: number;
}

// At the end of an index: the trailer as JSON, then its length, its checksum, and this mark.
const mark = Buffer.from('chatload');
const endBytes = 8 + mark.length;
const mostBytes = 16 * 1024 * 1024;

export function trailerOf(trailer: Trailer): Buffer {
  const json = Buffer.from(JSON.stringify(trailer));
  const end = Buffer.alloc(8);
  end.writeUInt32LE(json.length, 0);
  end.writeUInt32LE(crc32(json), 4);
  return Buffer.concat([json, end, mark]);
}

/** The trailer of an open index; `undefined` where it is damaged, or of another kind. */
export function readTrailer(file: number): Trailer | undefined {
  const { size } = fstatSync(file);
  const end = Buffer.alloc(endBytes);
  if (size < endBytes || readSync(file, end, 0, endBytes, size - endBytes) < endBytes) return undefined;
  if (!end.subarray(8).equals(mark)) return undefined;
  const length = end.readUInt32LE(0);
  if (length > mostBytes || length > size - endBytes) return undefined;
  const json = Buffer.alloc(length);
  const at = size - endBytes - length;
  if (readSync(file, json, 0, length, at) < length || crc32(json) !== end.readUInt32LE(4)) return undefined;
  const trailer: unknown = parseJson(json.toString('utf8'));
  return isTrailer(trailer) && trailer.count * trailer.recordBytes === at ? trailer : undefined;
}

const isTrailer = (value: unknown): value is Trailer =>
  isObject(value) && ['recordBytes', 'count', 'crc'].every((key) => typeof value[key] === 'number');
