import type { RecordFile } from './record.ts';

/** The beginning of a file of records, by which its form is told. */
export interface FirstValues {
  values: readonly unknown[];
  /** The first record that could not be read: `line 3: it is not JSON`. */
  unread: string | undefined;
}

/** Values that are looked at. */
const mostValues = 50;
/** Records that are looked at for them: where none of so many can be read, the next ones cannot either. */
const mostRecords = 1000;

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
      if (values.length === mostValues || seen === mostRecords) return { values, unread };
    }
  }
  return { values, unread };
}
