import { valueAt } from '../../base/value-at.ts';
import { timesLike, type TimeReader } from '../read-time.ts';
import type { TraceColumns, TraceRow } from '../trace.ts';
import { csvReader, hasColumns, timeIn } from './csv-form.ts';
import { sessionIn, tokensIn, type LineReader, type TraceForm } from './form.ts';
import { objectIn, readObject } from './read-object.ts';
import { delimiterOf, namesIn, splitCsv } from './split-csv.ts';

/** Any CSV whose header names the given columns. */
export const csvByColumns: TraceForm = (head) => {
  const { columns, lines } = head;
  if (columns === undefined || !hasColumns(head, [columns.at.toLowerCase()])) return undefined;
  const [header, first = ''] = lines;
  const place = namesIn(header).findIndex((name) => name.toLowerCase() === columns.at.toLowerCase());
  const times = timesLike(fieldsOf(first, delimiterOf(header))[place]?.trim(), columns.unit);
  return (
    times &&
    csvReader(head, { form: 'csv', times: times.words, isUnordered: false }, (field) => rowBy(columns, times, field))
  );
};

function fieldsOf(line: string, delimiter: string): readonly string[] {
  try {
    return splitCsv(line, delimiter);
  } catch {
    return [];
  }
}

/** Any JSONL whose objects have the given fields, by their dotted paths. */
export const jsonlByColumns: TraceForm = ({ lines, columns }) => {
  const first = objectIn(lines[0]);
  if (columns === undefined || first === undefined) return undefined;
  const times = timesLike(fieldOf(first, columns.at), columns.unit);
  const read: LineReader['read'] = (line) => {
    const object = readObject(line);
    return times === undefined ? [] : [rowBy(columns, times, (name) => fieldOf(object, name))];
  };
  return times && { form: 'jsonl', times: times.words, hasHeader: false, isUnordered: false, read };
};

const fieldOf = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : valueAt(object, name.split('.'));

function rowBy(
  { at, session, inputTokens, outputTokens }: TraceColumns,
  times: TimeReader,
  field: (name: string) => unknown,
): TraceRow {
  return {
    atMs: timeIn(times.read, field(at), at),
    session: session === undefined ? null : sessionIn(field(session)),
    inputTokens: inputTokens === undefined ? null : tokensIn(field(inputTokens), inputTokens),
    outputTokens: outputTokens === undefined ? null : tokensIn(field(outputTokens), outputTokens),
    replyMs: null,
    waitMs: null,
  };
}
