import { timesLike } from '../read-time.ts';
import { readCsvColumns } from './csv-columns.ts';
import { hasColumns } from './csv-form.ts';
import type { LineReader, TraceForm } from './form.ts';
import { fieldAt, objectIn, readObject } from './read-object.ts';
import { rowBy } from './row-by.ts';

/** Any CSV whose header names the given columns. */
export const csvByColumns: TraceForm = (head) =>
  head.columns?.at !== undefined && hasColumns(head, [head.columns.at.toLowerCase()])
    ? readCsvColumns(head, { form: 'csv', own: {} })
    : undefined;

/** Any JSONL whose objects have the given fields, by their dotted paths. */
export const jsonlByColumns: TraceForm = ({ lines, columns }) => {
  const first = objectIn(lines[0]);
  if (columns?.at === undefined || first === undefined) return undefined;
  const { at } = columns;
  const times = timesLike(fieldAt(first, at), columns.unit);
  const read: LineReader['read'] = (line) => {
    const object = readObject(line);
    return times === undefined ? [] : [rowBy({ ...columns, at }, times, (name) => fieldAt(object, name))];
  };
  return times && { form: 'jsonl', times: times.words, hasHeader: false, isUnordered: false, read };
};
