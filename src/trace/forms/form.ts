import { numberIn } from '../read-time.ts';
import type { TraceColumns, TraceFormName, TraceRow } from '../trace.ts';
import { parseJson } from '../../base/json.ts';
import { valueAt, isObject } from '../../base/is-object.ts';
import { parse } from 'csv-parse/sync';
import { delimiterOf } from '../../base/delimiter.ts';

/** Reader of the lines of one trace. */
export interface LineReader {
  readonly form: TraceFormName;
  /** Description of the time format. */
  readonly times: string;
  /** Reason for a unit of times that may be wrong. */
  readonly unitDoubt?: string | undefined;
  /** True if its first line names the fields. */
  readonly hasHeader: boolean;
  /** True if its lines are written when a request ends, so that they are always out of order in time. */
  readonly isUnordered: boolean;
  /** Returns the requests of a line; none for a line with other content. Throws an `Error` for a malformed line. */
  read(line: string): readonly TraceRow[];
}

/** The beginning of a trace file, from which its form is detected. */
export interface TraceHead {
  /** The first lines that are not empty, at least one; many, so that they show the unit of times. */
  lines: readonly [string, ...string[]];
  columns: TraceColumns | undefined;
}

/** Returns the reader if a trace has this form; `undefined`: it has another. */
export type TraceForm = (head: TraceHead) => LineReader | undefined;

/** Parses a number of tokens; `null` if there is none. Throws if it is not such a number. */
export function tokensIn(value: unknown, name: string): number | null {
  if (value === undefined || value === null || value === '') return null;
  const tokens = numberIn(value);
  if (tokens === undefined || tokens < 0) throw new Error(`${name} is not a number of tokens`);
  if (tokens > maxTokens) throw new Error(`${name} is more tokens than a request has`);
  return Math.round(tokens);
}

/** More than any model accepts: the column contains something else. */
const maxTokens = 1e7;

/** Returns the name of a session; `null` if there is none. */
export function sessionIn(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const name = value.trim();
  return name === '' || name === '-' ? null : name;
}

/** Parses a duration in milliseconds; `null` if there is none. */
export function lengthIn(value: unknown, unitMs: number): number | null {
  const length = numberIn(value);
  return length === undefined || length < 0 ? null : length * unitMs;
}

/** Parses one line as a JSON object. Throws an `Error` that describes any other kind of value. */
export function readObject(line: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (thrown) {
    throw new Error('is not JSON', { cause: thrown });
  }
  if (!isObject(value)) throw new Error('is not a JSON object');
  return value;
}

/** Parses a line that may be anything. */
export function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return readObject(line);
  } catch {
    return undefined;
  }
}

/** Returns a field by its name, or by its dotted path. */
export function fieldAt(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : valueAt(object, name.split('.'));
}

/** Reports whether a header names all of these columns. */
export function hasColumns({ lines: [header] }: TraceHead, wanted: readonly string[]): boolean {
  if (header.startsWith('{')) return false;
  try {
    const names = namesIn(header).map((name) => name.toLowerCase());
    return wanted.every((name) => names.includes(name));
  } catch {
    return false;
  }
}

/** Parses the time of a row. Throws if it is not a time. */
export function timeIn(read: (value: unknown) => number | undefined, value: unknown, name: string): number {
  const at = read(value);
  if (at === undefined)
    throw new Error(value === undefined || value === '' ? `has no ${name}` : `${name} is not a time`);
  return at;
}

/** Splits one line of CSV into fields. Fields of a trace contain no line breaks. */
export function splitCsv(line: string, delimiter: string): readonly string[] {
  if (!line.includes('"')) return line.split(delimiter);
  try {
    return parse(line, { delimiter })[0] ?? [];
  } catch (thrown) {
    throw new Error('has a quote that is not closed in it: a row is one line', { cause: thrown });
  }
}

export function namesIn(header: string): readonly string[] {
  return splitCsv(header, delimiterOf(header)).map((name) => name.trim());
}
