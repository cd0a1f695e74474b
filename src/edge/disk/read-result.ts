import { fstatSync, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { resultFactsSchema, type ResultFacts, type ResultHead } from '../../compare/document/group-of.ts';
import { UnreadableHistogram } from '../../record/sparse-histogram.ts';
import { listedResultSchema, type ListedResult } from '../../report/page/list/view-row.ts';
import { resultKind, resultSchema, type Result } from '../../result/result.ts';
import { bytesAt, readTextOf, readTextSync, withPlain } from '../open-file.ts';
import { findResults, listJson } from './find-results.ts';
import { parseDocument, type DocumentReading } from './parse-document.ts';

/** Reads a result. Throws a usage error that names the file if it is damaged or not a result, and `not_comparable` if it has an unsupported version. */
export async function readResult(file: string): Promise<Result> {
  return requireDocument(file, parseDocument(await readText(file), resultKind, resultSchema));
}

/** Returns the document that was read, or throws an error that names its file. */
export function requireDocument<Document>(file: string, reading: DocumentReading<Document>): Document {
  if ('part' in reading) return reading.part;
  const { why, problem, hint } = reading;
  throw new ChatLoadError(why === 'version' ? 'not_comparable' : 'usage', { message: `${file} ${problem}.`, hint });
}

/** Returns the text of a file that the user named. Throws a usage error. */
export async function readText(file: string): Promise<string> {
  try {
    return await readTextOf(file);
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be read: ${fileReason(thrown)}.`,
      hint: await whichFile(file),
      cause: thrown,
    });
  }
}

/** Names the newest results of a folder that was named instead of a result. */
async function whichFile(path: string): Promise<string> {
  // If there are no results, the message already describes the problem.
  const results = await findResults([path]).catch((): string[] => []);
  if (results.length === 0 || results.includes(path)) return 'Name a result file, as chat-load run writes it.';
  const changedAt = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
  const ages = await Promise.all(results.map(async (file) => ({ file, atMs: await changedAt(file) })));
  const newest = ages.toSorted((a, b) => b.atMs - a.atMs).slice(0, 3);
  return `Name a result file in it: the newest ${newest.length === 1 ? 'is' : 'are'} ${newest.map(({ file }) => file).join(', ')}.`;
}

/** Reads the description of a run from a result, without its intervals, which are nearly all of its bytes. Takes about 0.5 ms; never throws. */
export function readResultFacts(path: string): DocumentReading<ResultFacts> {
  return readPart(path, resultFactsSchema);
}

/** Reports the same errors for the fields of a list. */
export function readListedResult(path: string): DocumentReading<ListedResult> {
  return readPart(path, listedResultSchema);
}

/** Reads a whole document of any kind next to results, with every field validated. Takes some ten milliseconds for a result; never throws. */
export function readOther<Document>(
  path: string,
  kind: string,
  schema: z.ZodType<Document>,
): DocumentReading<Document> {
  return orUnreadable(() => parseDocument(readTextSync(path), kind, schema));
}

function orUnreadable<Document>(read: () => DocumentReading<Document>): DocumentReading<Document> {
  try {
    return read();
  } catch (thrown) {
    return {
      why: 'damaged',
      problem: `cannot be read: ${fileReason(thrown)}`,
      hint: 'Make it readable for the user that runs chat-load, or omit it.',
    };
  }
}

/** Extracts the top-level keys of the schema without parsing others; parses the whole file if it has another layout. */
function readPart<Part>(path: string, schema: z.ZodType<Part> & { shape: object }): DocumentReading<Part> {
  return orUnreadable(() => {
    const text = readKeys(path, Object.keys(schema.shape));
    const ownKeys = text === undefined ? undefined : parseDocument(text, resultKind, schema);
    if (ownKeys !== undefined && 'part' in ownKeys) return ownKeys;
    return parseDocument(readTextSync(path), resultKind, schema);
  });
}

/** Returns an object of these keys only; `undefined` if one does not precede the intervals in this order, or the file does not end like an object. */
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

/** A top-level key is on its own line after one space. It is unambiguous: JSON strings contain no newlines, and deeper keys are indented more. */
const keyMark = '\n "';

function fieldFrom(bytes: Buffer, key: string, from: number): { text: string; end: number } | undefined {
  const start = bytes.indexOf(`${keyMark}${key}": `, from);
  if (start === -1) return undefined;
  const next = bytes.indexOf(keyMark, start + 1);
  const end = next === -1 ? bytes.length : next;
  return { text: bytes.toString('utf8', start, end).trimEnd().replace(/,$/, ''), end };
}

const intervalsMark = `${keyMark}intervals": [`;

/** Large enough for the part before the intervals of most results; reused for every file. */
let buffer = Buffer.allocUnsafe(192 * 1024);

/** Returns bytes that are valid until the next call. Synchronous: promises would take several times as long. */
function readBeforeIntervals(path: string): Buffer | undefined {
  return withPlain(path, (file) => {
    const { size } = fstatSync(file);
    if (!endsWhole(file, size)) return undefined;
    for (;;) {
      const bytes = buffer.subarray(0, readSync(file, buffer, 0, Math.min(buffer.length, size), 0));
      const end = bytes.indexOf(intervalsMark);
      if (end !== -1) return bytes.subarray(0, end);
      if (bytes.length >= size || bytes.length < buffer.length) return undefined;
      buffer = Buffer.allocUnsafe(buffer.length * 4);
    }
  });
}

/** Detects files that are cut off, which end within their intervals. */
function endsWhole(file: number, size: number): boolean {
  return bytesAt(file, Math.max(0, size - 8), 8)
    .toString('utf8')
    .trimEnd()
    .endsWith('\n}');
}

export interface ResultsReading<Taken> {
  /** In the order of the files. */
  taken: Taken[];
  /** Unusable files, without other documents of chat-load. */
  skipped: { file: string; problem: string }[];
}

/** Reads the descriptions of the runs in a folder: of all results directly in it, unless files are named. */
export function readFolderFacts<Taken>(
  { folder, files = listJson(folder) }: { folder: string; files?: readonly string[] | undefined },
  take: (file: string, facts: ResultFacts) => Taken,
): ResultsReading<Taken> {
  return readEach(
    files.map((file) => ({ file })),
    ({ file }) => readResultFacts(join(folder, file)),
    ({ file }, facts) => take(file, facts),
  );
}

/** Reads some of the results in a folder. `take` extracts the needed values from each, and throws for an unreadable histogram. */
export function readFolderHeads<Asked extends { file: string }, Taken>(
  { folder, asked }: { folder: string; asked: readonly Asked[] },
  take: (asked: Asked, head: ResultHead) => Taken,
): ResultsReading<Taken> {
  return readEach(asked, ({ file }) => readOther(join(folder, file), resultKind, resultSchema), take);
}

function readEach<Asked extends { file: string }, Part, Taken>(
  asked: readonly Asked[],
  read: (each: Asked) => DocumentReading<Part>,
  take: (each: Asked, part: Part) => Taken,
): ResultsReading<Taken> {
  const results: ResultsReading<Taken> = { taken: [], skipped: [] };
  for (const each of asked) {
    const reading = read(each);
    try {
      if ('part' in reading) results.taken.push(take(each, reading.part));
      else if (reading.document === undefined) results.skipped.push({ file: each.file, problem: reading.problem });
    } catch (thrown) {
      if (!(thrown instanceof UnreadableHistogram)) throw thrown;
      results.skipped.push({ file: each.file, problem: `contains a histogram that cannot be read: ${thrown.message}` });
    }
  }
  return results;
}
