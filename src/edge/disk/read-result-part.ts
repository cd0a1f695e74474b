import { closeSync, fstatSync, readSync } from 'node:fs';
import type { z } from 'zod';
import { fileReason } from '../../base/file-reason.ts';
import { resultKind, resultSchema, type Result } from '../../result/result.ts';
import { resultFactsSchema, type ResultFacts } from '../../compare/document/group-of.ts';
import { listedResultSchema, type ListedResult } from '../../report/page/list/listed.ts';
import { openPlain, readTextSync } from '../open-file.ts';
import { parseDocument, type DocumentReading } from './parse-document.ts';

/** `document`: another document of chat-load, such as a history. `problem`: why the file is of no use, to be read after its name. */
export type PartReading<Part> = { part: Part } | { document: string } | { problem: string };

/** Reads which run a result is of, without its intervals, which are nearly all of its bytes. Takes about 0.5 ms; never throws. */
export function readResultFacts(path: string): PartReading<ResultFacts> {
  return readingOf(readPart(path, resultFactsSchema));
}

/** Reads what a list shows of a result, likewise. */
export function readListedResult(path: string): DocumentReading<ListedResult> {
  return readPart(path, listedResultSchema);
}

/** Reads another document that lies beside results, whole. Never throws. */
export function readOther<Document>(
  path: string,
  kind: string,
  schema: z.ZodType<Document>,
): DocumentReading<Document> {
  try {
    return parseDocument(readTextSync(path), kind, schema);
  } catch (thrown) {
    return unreadable(thrown);
  }
}

/** Reads a whole result: all figures are validated against the schema, including every interval. Takes some ten milliseconds; never throws. */
export function readWholeResult(path: string): PartReading<Result> {
  return readingOf(readOther(path, resultKind, resultSchema));
}

const unreadable = (thrown: unknown) => ({
  why: 'damaged' as const,
  problem: `cannot be read: ${fileReason(thrown)}`,
  hint: 'Let it be read by whoever runs chat-load, or leave it out.',
});

function readingOf<Part>(reading: DocumentReading<Part>): PartReading<Part> {
  if ('part' in reading) return reading;
  return reading.document === undefined ? { problem: reading.problem } : { document: reading.document };
}

type PartSchema<Part> = z.ZodType<Part> & { shape: object };

/** In a file of ours the top-level keys that the schema asks for are found without parsing others; in another layout the whole is parsed. */
function readPart<Part>(path: string, schema: PartSchema<Part>): DocumentReading<Part> {
  try {
    const text = readKeys(path, Object.keys(schema.shape));
    const ownKeys = text === undefined ? undefined : parseDocument(text, resultKind, schema);
    if (ownKeys !== undefined && 'part' in ownKeys) return ownKeys;
    return parseDocument(readTextSync(path), resultKind, schema);
  } catch (thrown) {
    return unreadable(thrown);
  }
}

/** An object of these keys alone; `undefined` where one is not found in its place before the intervals, or the file does not end as an object does. */
function readKeys(path: string, keys: readonly string[]): string | undefined {
  const bytes = readBeforeIntervals(path);
  if (bytes === undefined) return undefined;
  const fields: string[] = [];
  let from = 0;
  for (const key of keys) {
    const field = fieldFrom(bytes, key, from);
    if (field === undefined) return undefined;
    fields.push(field.text);
    from = field.end;
  }
  return `{${fields.join(',')}}`;
}

/**
 * A top-level key is on its own line after one space. A newline within a JSON string is always escaped, and
 * deeper keys are indented more: what looks like one is one.
 */
const keyMark = '\n "';

function fieldFrom(bytes: Buffer, key: string, from: number): { text: string; end: number } | undefined {
  const start = bytes.indexOf(`${keyMark}${key}": `, from);
  if (start === -1) return undefined;
  const next = bytes.indexOf(keyMark, start + 1);
  const end = next === -1 ? bytes.length : next;
  return { text: bytes.toString('utf8', start, end).trimEnd().replace(/,$/, ''), end };
}

const intervalsMark = `${keyMark}intervals": [`;

/** Room for the part before the intervals of most results, reused for every file. */
let room = Buffer.allocUnsafe(192 * 1024);

/** Valid until the next file is read. Synchronous, file by file: with promises it takes several times as long. */
function readBeforeIntervals(path: string): Buffer | undefined {
  const file = openPlain(path);
  try {
    const { size } = fstatSync(file);
    if (!endsWhole(file, size)) return undefined;
    for (;;) {
      const bytes = room.subarray(0, readSync(file, room, 0, Math.min(room.length, size), 0));
      const end = bytes.indexOf(intervalsMark);
      if (end !== -1) return bytes.subarray(0, end);
      if (bytes.length >= size || bytes.length < room.length) return undefined;
      room = Buffer.allocUnsafe(room.length * 4);
    }
  } finally {
    closeSync(file);
  }
}

/** A file that was cut off ends in the middle of its intervals. */
function endsWhole(file: number, size: number): boolean {
  const bytes = Buffer.alloc(Math.min(size, 8));
  readSync(file, bytes, 0, bytes.length, size - bytes.length);
  return bytes.toString('utf8').trimEnd().endsWith('\n}');
}
