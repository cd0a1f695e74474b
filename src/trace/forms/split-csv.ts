import { parse } from 'csv-parse/sync';
import { delimiterOf } from '../../base/delimiter.ts';

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
