import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../../base/json.ts';
import { messageOf } from '../../../base/errors.ts';
import { printable } from '../../../base/printable.ts';
import { type Blocks, isBlank, type Line, readLines, HeldBytes } from '../lines.ts';
import { maxRecordBytes, type FileRecord } from './record.ts';

/** Yields the records of JSON Lines as its blocks arrive; blank lines are skipped. */
export async function* splitLines(blocks: Blocks): AsyncGenerator<FileRecord[]> {
  for await (const lines of readLines(blocks, maxRecordBytes))
    yield Array.from(lines).flatMap((line) =>
      line.bytes !== undefined && isBlank(line.bytes) ? [] : [parseRecord(line.number, line)],
    );
}

/** Parses a record from JSON. `bytes`: `undefined` if it was too long to keep. */
function parseRecord(place: number, { length, bytes }: Pick<Line, 'length' | 'bytes'>): FileRecord {
  if (bytes === undefined) return tooLong(place, length);
  if (!isUtf8(bytes)) return { place, problem: 'malformed', detail: 'it is not UTF-8' };
  return parseText(bytes.toString('utf8'), place);
}

export function parseText(text: string, place: number): FileRecord {
  try {
    return { place, value: parseJson(text) };
  } catch (thrown) {
    return { place, problem: 'malformed', detail: `it is not JSON (${withoutQuote(messageOf(thrown))})` };
  }
}

/** The parser quotes its input, which may be personal, before the position. */
const withoutQuote = (message: string): string =>
  printable(message.replace(/,? ?(?:\.\.\.)?"[^]*?"(?:\.\.\.)? is not valid JSON/, '')).slice(0, maxReasonLength);

const maxReasonLength = 80;

function tooLong(place: number, bytes: number): FileRecord {
  return { place, problem: 'tooLong', detail: `it has ${(bytes / 1024 ** 2).toFixed(0)} MB` };
}

/**
 * Yields the elements of a JSON array as its bytes arrive. Each is found by its brackets and quotes and parsed by itself, so
 * that an invalid element does not affect the others. Throws an error that describes a problem of the array itself.
 *
 *     [ {"a": "]"} , {"b": 1} ]
 *       ^--------^   ^------^     at depth 1, between commas
 */
export async function* splitArray(chunks: Blocks): AsyncGenerator<FileRecord[]> {
  const splitter = new ArraySplitter();
  for await (const chunk of chunks) yield splitter.add(chunk);
  splitter.end();
}

class ArraySplitter {
  readonly #open = new HeldBytes(maxRecordBytes);
  #element = 0;
  /** 0 outside of the array, 1 between its elements. */
  #depth = 0;
  #isDone = false;
  #inText = false;
  #isEscaped = false;
  /** Position of the next backslash in the chunk, as far as it was searched. */
  #escape = -1;

  add(chunk: Buffer): FileRecord[] {
    const records: FileRecord[] = [];
    this.#escape = -1;
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inText) {
        at = this.#endOfText(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (byte === quote) this.#inText = true;
      else if (byte === openBracket || byte === openBrace) {
        if (this.#depth++ === 0) from = this.#begin(byte, at);
      } else if (byte === closeBracket || byte === closeBrace) this.#depth--;
      else if (this.#depth === 0 && !isSpace(byte)) throw this.#outside();
      if (this.#isCut(byte)) {
        records.push(...this.#take(chunk.subarray(from, at)));
        from = at + 1;
      }
    }
    if (this.#depth > 0) this.#open.add(chunk.subarray(from));
    return records;
  }

  end(): void {
    if (!this.#isDone) throw new Error(`it is cut off in element ${String(this.#element + 1)}: its end is missing`);
  }

  /** Returns the end of the string at `from`, or of the chunk. Most bytes are in strings, so they are not visited one by one. */
  #endOfText(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#isEscaped) at += 1;
    this.#isEscaped = false;
    for (;;) {
      const end = chunk.indexOf(quote, at);
      const escape = this.#escapeFrom(chunk, at);
      if (end !== -1 && end < escape) {
        this.#inText = false;
        return end;
      }
      if (escape >= chunk.length) return chunk.length;
      this.#isEscaped = escape + 1 === chunk.length;
      if (this.#isEscaped) return chunk.length;
      at = escape + 2;
    }
  }

  /** Returns the next backslash, or the length of the chunk. Searched once for all strings before it. */
  #escapeFrom(chunk: Buffer, from: number): number {
    if (this.#escape < from) {
      const found = chunk.indexOf(backslash, from);
      this.#escape = found === -1 ? chunk.length : found;
    }
    return this.#escape;
  }

  /** Begins the array and returns the start of its first element. */
  #begin(byte: number, at: number): number {
    if (this.#isDone || byte !== openBracket) throw this.#outside();
    return at + 1;
  }

  /** Reports whether a byte ends an element: a comma, or the end of the array. */
  #isCut(byte: number): boolean {
    if (this.#isDone) return false;
    if (byte === comma) return this.#depth === 1;
    return byte === closeBracket && this.#depth === 0;
  }

  #take(rest: Buffer): FileRecord[] {
    const held = this.#open.take(rest);
    if (this.#depth === 0) this.#isDone = true;
    const isEmpty = this.#isDone && this.#element === 0 && held.bytes?.toString('latin1').trim() === '';
    return isEmpty ? [] : [parseRecord(++this.#element, held)];
  }

  #outside(): Error {
    return new Error(this.#isDone ? 'more text follows the end of its array' : 'it is not one JSON array');
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
