/** A record of a file, at its place: the number of its line, row or element, from 1. */
export type FileRecord =
  { place: number; value: unknown } | { place: number; problem: 'malformed' | 'tooLong'; detail: string };

/** How a file holds records. */
export type Container = 'jsonl' | 'json' | 'csv' | 'parquet';

/** The records of a file: they can be read any number of times, in constant memory. */
export interface RecordFile {
  path: string;
  bytes: number;
  container: Container;
  /** What `place` counts. */
  unit: 'line' | 'element' | 'row';
  /** In pieces of any size. Throws a usage error where the file cannot be read on. */
  records(): AsyncIterable<readonly FileRecord[]>;
}

/** A longer record is not kept, only counted: no conversation is nearly as long. */
export const maxRecordBytes = 64 * 1024 ** 2;

/** The beginning of a file of records, by which its form is told. */
export interface FirstValues {
  values: readonly unknown[];
  /** The first record that could not be read: `line 3: it is not JSON`. */
  unread: string | undefined;
}

/** Values that are looked at. */
const maxValues = 50;
/** Records that are looked at for them: where none of so many can be read, the next ones cannot either. */
const maxRecords = 1000;

/** Reads the first values of a file. Throws a usage error where it cannot be read. */
export async function firstValues(file: RecordFile): Promise<FirstValues> {
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
