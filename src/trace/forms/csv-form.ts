import { parse } from 'csv-parse/sync';
import { delimiterOf } from '../../base/delimiter.ts';
import type { TraceRow } from '../trace.ts';
import type { LineReader, TraceHead } from './form.ts';

/** Gives a field of a row by its name; `undefined` where the trace has no such column. */
export type FieldOf = (name: string) => string | undefined;

/** A reader of CSV whose first line names the columns; names are compared without regard to case. */
export function csvReader(
  { lines: [header] }: TraceHead,
  about: Pick<LineReader, 'form' | 'times' | 'isUnordered'>,
  rowOf: (field: FieldOf) => TraceRow,
): LineReader {
  const delimiter = delimiterOf(header);
  const places = new Map(namesIn(header).map((name, place) => [name.toLowerCase(), place]));
  let fields: readonly string[] = [];
  const field: FieldOf = (name) => {
    const place = places.get(name.toLowerCase());
    return place === undefined ? undefined : fields[place]?.trim();
  };
  return {
    ...about,
    hasHeader: true,
    read: (line) => {
      fields = splitCsv(line, delimiter);
      if (fields.length !== places.size)
        throw new Error(`has ${String(fields.length)} fields, the header ${String(places.size)}`);
      return [rowOf(field)];
    },
  };
}

/** Whether a header names all of these columns. */
export function hasColumns({ lines: [header] }: TraceHead, wanted: readonly string[]): boolean {
  const names = headerNames(header);
  return wanted.every((name) => names.includes(name));
}

function headerNames(header: string): readonly string[] {
  if (header.startsWith('{')) return [];
  try {
    return namesIn(header).map((name) => name.toLowerCase());
  } catch {
    return [];
  }
}

/** The time of a row. Throws where it is none. */
export function timeIn(read: (value: unknown) => number | undefined, value: unknown, name: string): number {
  const at = read(value);
  if (at === undefined) throw new Error(value === undefined || value === '' ? `has no ${name}` : `${name} is no time`);
  return at;
}

/** The fields of one line of CSV. A field with a line break in it is no field of a trace. */
export function splitCsv(line: string, delimiter: string): readonly string[] {
  if (!line.includes('"')) return line.split(delimiter);
  try {
    return parse(line, { delimiter })[0] ?? [];
  } catch (thrown) {
    throw new Error('has a quote that is not closed in it: a row is one line', { cause: thrown });
  }
}

/** The names in a header. */
export function namesIn(header: string): readonly string[] {
  return splitCsv(header, delimiterOf(header)).map((name) => name.trim());
}
