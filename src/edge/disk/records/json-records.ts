import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../../base/json.ts';
import { messageOf } from '../../../base/errors.ts';
import { printable } from '../../../base/printable.ts';
import { type Blocks, isBlank, type Line, readLines } from '../lines.ts';
import { longestRecord, type FileRecord } from './record.ts';

/** The records of JSON Lines, as its blocks arrive; blank lines are skipped. */
export async function* splitLines(blocks: Blocks): AsyncGenerator<FileRecord[]> {
  for await (const lines of readLines(blocks, longestRecord)) yield Array.from(lines).flatMap(recordOf);
}

function recordOf({ number, length, bytes }: Line): FileRecord[] {
  if (bytes !== undefined && isBlank(bytes)) return [];
  return [parseRecord(number, { length, bytes })];
}

/** A record that is written as JSON; `bytes` is `undefined` if it was too long to keep. */
export function parseRecord(
  place: number,
  { length, bytes }: { length: number; bytes: Buffer | undefined },
): FileRecord {
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

/** The parser quotes what it read, which may be personal; it says where behind that. */
const withoutQuote = (message: string): string =>
  printable(message.replace(/,? ?(?:\.\.\.)?"[^]*?"(?:\.\.\.)? is not valid JSON/, '')).slice(0, longestReason);

const longestReason = 80;

/** A record that was too long to keep. */
export function tooLong(place: number, bytes: number): FileRecord {
  return { place, problem: 'tooLong', detail: `it has ${(bytes / 1024 ** 2).toFixed(0)} MB` };
}
