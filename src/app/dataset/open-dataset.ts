import { readFields, datasetFormats, type FormatName } from '../../dataset/formats/formats.ts';
import type { Reading } from '../../dataset/formats/format.ts';
import { recognize } from '../../dataset/formats/recognize.ts';
import { isObject } from '../../base/is-object.ts';
import { openRecords } from '../../edge/disk/records/open-records.ts';
import type { FileRecord, RecordFile } from '../../edge/disk/records/record.ts';

/** A file of conversations whose form is known. */
export interface Dataset {
  file: RecordFile;
  format: FormatName;
  /** What is in it, as often as it is asked for. */
  readings(): AsyncIterable<readonly Reading[]>;
}

/** Opens a file, in the form that is given or recognized. Throws a usage error where it is in none. */
export async function openDataset(path: string, from: FormatName | undefined): Promise<Dataset> {
  const file = await openRecords(path, (column) => readFields.has(column));
  const format = from ?? recognize(path, await firstValues(file));
  return { file, format, readings: () => readingsOf(file, format) };
}

/** Records that are looked at to recognize a form. */
const mostLookedAt = 50;

async function firstValues(file: RecordFile): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const records of file.records()) {
    for (const record of records) if ('value' in record) values.push(record.value);
    if (values.length >= mostLookedAt) break;
  }
  return values.slice(0, mostLookedAt);
}

async function* readingsOf(file: RecordFile, format: FormatName): AsyncGenerator<readonly Reading[]> {
  const reader = datasetFormats[format].open();
  const read = (record: FileRecord): readonly Reading[] => {
    if ('problem' in record) return [record];
    const { place, value } = record;
    return isObject(value) ? reader.read(value, place) : [{ place, problem: 'otherForm', detail: 'it is no object' }];
  };
  for await (const records of file.records()) yield records.flatMap(read);
  yield reader.end();
}
