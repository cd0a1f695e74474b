import { stat } from 'node:fs/promises';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { resultKind, resultSchema, type Result } from '../../result/result.ts';
import { readTextOf, bytesAt, withPlain, readTextSync } from '../open-file.ts';
import { findResults, listJson } from './find-results.ts';
import { parseDocument, type DocumentReading } from './parse-document.ts';
import { fstatSync, readSync } from 'node:fs';
import type { z } from 'zod';
import { resultFactsSchema, type ResultFacts, type ResultHead } from '../../compare/document/group-of.ts';
import { listedResultSchema, type ListedResult } from '../../report/page/list/view-row.ts';
import { join } from 'node:path';
import { UnreadableHistogram } from '../../record/sparse-histogram.ts';

/**
 * Reads one result. Throws a usage error that names the file when it is not a result, or a damaged one, and
 * `not_comparable` when it is a result of a version that this chat-load cannot read.
 */
export async function readResult(file: string): Promise<Result> {
  return requireDocument(file, parseDocument(await readText(file), resultKind, resultSchema));
}

/** What was read of a file, or an error that names it. */
export function requireDocument<Document>(file: string, reading: DocumentReading<Document>): Document {
  if ('part' in reading) return reading.part;
  const { why, problem, hint } = reading;
  throw new ChatLoadError(why === 'version' ? 'not_comparable' : 'usage', { message: `${file} ${problem}.`, hint });
}

/** The text of a file that the user named. Throws a usage error. */
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

/** Names the newest results of a folder that was named in place of one. */
async function whichFile(path: string): Promise<string> {
  // Nothing is there to name: the message says why the path cannot be read.
  const results = await findResults([path]).catch((): string[] => []);
  const ages = await Promise.all(
    results.map(async (file) => ({
      file,
      writtenAt: await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  );
  const newest = ages.toSorted((a, b) => b.writtenAt - a.writtenAt).slice(0, 3);
  return newest.length === 0 || results.includes(path)
    ? 'Name a result file, as chat-load run writes it.'
    : `Name a result file in it: the newest ${newest.length === 1 ? 'is' : 'are'} ${newest.map(({ file }) => file).join(', ')}.`;
}

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
  return withPlain(path, (file) => {
    const { size } = fstatSync(file);
    if (!endsWhole(file, size)) return undefined;
    for (;;) {
      const bytes = room.subarray(0, readSync(file, room, 0, Math.min(room.length, size), 0));
      const end = bytes.indexOf(intervalsMark);
      if (end !== -1) return bytes.subarray(0, end);
      if (bytes.length >= size || bytes.length < room.length) return undefined;
      room = Buffer.allocUnsafe(room.length * 4);
    }
  });
}

/** A file that was cut off ends in the middle of its intervals. */
function endsWhole(file: number, size: number): boolean {
  return bytesAt(file, Math.max(0, size - 8), 8)
    .toString('utf8')
    .trimEnd()
    .endsWith('\n}');
}

export interface ResultsReading<Taken> {
  /** In the order of the files. */
  taken: Taken[];
  /** Unusable files; other documents of chat-load are skipped. */
  skipped: { file: string; problem: string }[];
}

/** Reads of results in a folder which runs they are of: of all in it, not in folders within it, unless files are named. */
export function readFolderFacts<Taken>(
  { folder, files = listJson(folder) }: { folder: string; files?: readonly string[] | undefined },
  take: (file: string, facts: ResultFacts) => Taken,
): ResultsReading<Taken> {
  const asked = files.map((file) => ({ file }));
  return readEach(asked, ({ file }) => {
    const reading = readResultFacts(join(folder, file));
    return 'part' in reading ? { part: take(file, reading.part) } : reading;
  });
}

/** Reads some of the results in a folder; `take` keeps of each what is needed, and throws where a histogram cannot be read. */
export function readFolderHeads<Asked extends { file: string }, Taken>(
  { folder, asked }: { folder: string; asked: readonly Asked[] },
  take: (asked: Asked, head: ResultHead) => Taken,
): ResultsReading<Taken> {
  return readEach(asked, (each) => {
    const reading = readWholeResult(join(folder, each.file));
    return 'part' in reading ? taken(() => take(each, reading.part)) : reading;
  });
}

function taken<Taken>(take: () => Taken): PartReading<Taken> {
  try {
    return { part: take() };
  } catch (thrown) {
    if (!(thrown instanceof UnreadableHistogram)) throw thrown;
    return { problem: `contains a histogram that cannot be read: ${thrown.message}` };
  }
}

function readEach<Asked extends { file: string }, Taken>(
  asked: readonly Asked[],
  read: (each: Asked) => PartReading<Taken>,
): ResultsReading<Taken> {
  const readings = asked.map((each) => ({ file: each.file, reading: read(each) }));
  return {
    taken: readings.flatMap(({ reading }) => ('part' in reading ? [reading.part] : [])),
    skipped: readings.flatMap(({ file, reading }) =>
      'problem' in reading ? [{ file, problem: reading.problem }] : [],
    ),
  };
}
