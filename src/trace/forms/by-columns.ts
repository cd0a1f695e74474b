import { delimiterOf } from '../../base/delimiter.ts';
import { isoTimes, numberIn, type TimeReader, timesLike, unitTimes } from '../read-time.ts';
import type { TraceColumns, TraceFormName, TraceRow } from '../trace.ts';
import {
  hasColumns,
  namesIn,
  splitCsv,
  timeIn,
  lengthIn,
  type LineReader,
  sessionIn,
  tokensIn,
  type TraceForm,
  type TraceHead,
  fieldAt,
  objectIn,
  readObject,
} from './form.ts';

/** Returns a field of a row by its name; `undefined` if the trace has no such column. */
type FieldOf = (name: string) => string | undefined;

interface CsvColumns {
  form: TraceFormName;
  /** The form's columns; one that is named for the file replaces the form's own. */
  own: TraceColumns;
  /** Parser of the times of this form. */
  times?: TimeReader;
  /** Duration of a reply. */
  replyMs?: (field: FieldOf) => number | null;
}

/** Returns a reader of CSV by its column names, in any case; `undefined` without a time column. */
function readCsvColumns(head: TraceHead, { form, own, times: ownTimes, replyMs }: CsvColumns): LineReader | undefined {
  const { at = own.at, ...named } = head.columns ?? {};
  if (at === undefined) return undefined;
  const [header, first = ''] = head.lines;
  const delimiter = delimiterOf(header);
  const places = new Map(namesIn(header).map((name, place) => [name.toLowerCase(), place]));
  let fields: readonly string[] = fieldsOf(first, delimiter);
  const field: FieldOf = (name) => fields[places.get(name.toLowerCase()) ?? -1]?.trim();
  const isOwnTime = head.columns?.at === undefined && named.unit === undefined && !isForeign(field(at), ownTimes);
  const times = (isOwnTime ? ownTimes : undefined) ?? timesLike(field(at), named.unit) ?? ownTimes;
  if (times === undefined) return undefined;
  const columns = { ...own, ...named, at };
  return {
    form,
    times: times.format,
    hasHeader: true,
    isUnordered: false,
    read: (line) => {
      fields = splitCsv(line, delimiter);
      if (fields.length !== places.size)
        throw new Error(`has ${String(fields.length)} fields, the header ${String(places.size)}`);
      const row = rowBy(columns, times, field);
      return [replyMs === undefined ? row : { ...row, replyMs: replyMs(field) }];
    },
  };
}

/** Reports whether a time is not in the format's own notation, or is too large for it: a time since 1970 in a smaller unit. */
const isForeign = (value: unknown, own: TimeReader | undefined): boolean =>
  own?.read(value) === undefined || (own.unit === 's' && (numberIn(value) ?? 0) >= maxSeconds);

/** Year 5138, in seconds since 1970. */
const maxSeconds = 1e11;

/** Returns the fields of a line; none if it is malformed. */
function fieldsOf(line: string, delimiter: string): readonly string[] {
  try {
    return splitCsv(line, delimiter);
  } catch {
    return [];
  }
}

/** Reads any CSV whose header names the given columns. */
export const csvByColumns: TraceForm = (head) =>
  head.columns?.at !== undefined && hasColumns(head, [head.columns.at.toLowerCase()])
    ? readCsvColumns(head, { form: 'csv', own: {} })
    : undefined;

/** Reads any JSONL whose objects have the given fields, by their dotted paths. */
export const jsonlByColumns: TraceForm = ({ lines, columns }) => {
  const first = objectIn(lines[0]);
  if (columns?.at === undefined || first === undefined) return undefined;
  const { at } = columns;
  const times = timesLike(fieldAt(first, at), columns.unit);
  const read: LineReader['read'] = (line) => {
    const object = readObject(line);
    return times === undefined ? [] : [rowBy({ ...columns, at }, times, (name) => fieldAt(object, name))];
  };
  return times && { form: 'jsonl', times: times.format, hasHeader: false, isUnordered: false, read };
};

const azureColumns = { at: 'TIMESTAMP', inputTokens: 'ContextTokens', outputTokens: 'GeneratedTokens' };

/** Reads Azure LLM inference traces of 2023 and 2024: CSV of `TIMESTAMP,ContextTokens,GeneratedTokens`, one request per line. */
export const azure: TraceForm = (head) =>
  hasColumns(head, ['timestamp', 'contexttokens', 'generatedtokens'])
    ? readCsvColumns(head, { form: 'azure', own: azureColumns, times: isoTimes })
    : undefined;

const burstGptColumns = {
  at: 'Timestamp',
  session: 'Session ID',
  inputTokens: 'Request tokens',
  outputTokens: 'Response tokens',
};

/** Reads BurstGPT: CSV with `Timestamp` in seconds; later releases also have `Session ID` and `Elapsed time`. */
export const burstGpt: TraceForm = (head) =>
  hasColumns(head, ['timestamp', 'request tokens', 'response tokens'])
    ? readCsvColumns(head, {
        form: 'burstgpt',
        own: burstGptColumns,
        times: unitTimes('s'),
        replyMs: (field) => lengthIn(field('Elapsed time'), 1000),
      })
    : undefined;

/** Reads a request by its existing columns. Throws an `Error` for a field of the wrong kind. */
function rowBy(
  { at, session, inputTokens, outputTokens }: TraceColumns & { at: string },
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
