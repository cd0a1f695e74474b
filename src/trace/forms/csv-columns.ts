import { delimiterOf } from '../../base/delimiter.ts';
import { timesLike, type TimeReader } from '../read-time.ts';
import type { TraceColumns, TraceFormName } from '../trace.ts';
import { csvReader, type FieldOf } from './csv-form.ts';
import type { LineReader, TraceHead } from './form.ts';
import { rowBy } from './row-by.ts';
import { namesIn, splitCsv } from './split-csv.ts';

interface CsvColumns {
  form: TraceFormName;
  /** Those of the form; one that is named for the file takes the place of its own. */
  own: TraceColumns;
  /** How the form's own times are read. */
  times?: TimeReader;
  /** How long a reply took. */
  replyMs?: (field: FieldOf) => number | null;
}

/** A reader of CSV by columns; `undefined` where none has the times. */
export function readCsvColumns(
  head: TraceHead,
  { form, own, times: ownTimes, replyMs }: CsvColumns,
): LineReader | undefined {
  const { at = own.at, ...named } = head.columns ?? {};
  if (at === undefined) return undefined;
  const isOwnTime = head.columns?.at === undefined && named.unit === undefined;
  const times = (isOwnTime ? ownTimes : undefined) ?? timesLike(firstOf(head, at), named.unit);
  if (times === undefined) return undefined;
  const columns = { ...own, ...named, at };
  return csvReader(head, { form, times: times.words, isUnordered: false }, (field) => ({
    ...rowBy(columns, times, field),
    ...(replyMs === undefined ? {} : { replyMs: replyMs(field) }),
  }));
}

/** A field of the first row. */
function firstOf({ lines: [header, first = ''] }: TraceHead, name: string): string | undefined {
  const place = namesIn(header).findIndex((each) => each.toLowerCase() === name.toLowerCase());
  try {
    return splitCsv(first, delimiterOf(header))[place]?.trim();
  } catch {
    return undefined;
  }
}
