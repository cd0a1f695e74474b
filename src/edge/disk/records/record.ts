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
export const longestRecord = 64 * 1024 ** 2;
