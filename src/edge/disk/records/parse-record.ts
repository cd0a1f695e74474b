import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../../base/json.ts';
import { messageOf } from '../../../base/errors.ts';
import { printable } from '../../../base/printable.ts';
import type { FileRecord } from './record.ts';

/** A record that is written as JSON. */
export function parseRecord(bytes: Buffer, place: number): FileRecord {
  if (!isUtf8(bytes)) return { place, problem: 'malformed', detail: 'it is not UTF-8' };
  return parseText(bytes.toString('utf8'), place);
}

/** The same of a text. */
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
  return {
    place,
    problem: 'tooLong',
    detail: `it has ${(bytes / 1024 ** 2).toFixed(0)} MB`,
  };
}
