/** A record of a file. `place`: number of its line, row or element, from 1. */
export type FileRecord =
  { place: number; value: unknown } | { place: number; problem: 'malformed' | 'tooLong'; detail: string };

/** File format of records. */
export type Container = 'jsonl' | 'json' | 'csv';

/** A file of records, which can be read any number of times in constant memory. */
export interface RecordFile {
  path: string;
  bytes: number;
  container: Container;
  /** Unit of `place`. */
  unit: 'line' | 'element' | 'row';
  /** Yields batches of any size. Throws a usage error if reading fails. */
  records(): AsyncIterable<readonly FileRecord[]>;
}

/** Maximum size of a record; longer ones are only counted. No conversation is nearly as long. */
export const maxRecordBytes = 64 * 1024 ** 2;

/** Values from which the form of a file is detected, and the records that contain them. */
const maxValues = 50;
const maxRecords = 1000;

/** Reads the first values of a file. `unread`: its first unreadable record, as `line 3: it is not JSON`. */
export async function firstValues(file: RecordFile): Promise<{ values: unknown[]; unread: string | undefined }> {
  const values: unknown[] = [];
  let unread: string | undefined;
  let seen = 0;
  for await (const records of file.records()) {
    for (const record of records) {
      if ('value' in record) values.push(record.value);
      else unread ??= `${file.unit} ${String(record.place)}: ${record.detail}`;
      seen += 1;
      if (values.length === maxValues || seen === maxRecords) return { values, unread };
    }
  }
  return { values, unread };
}
