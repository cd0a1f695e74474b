import { readFields, datasetFormats, type FormatName, recognize } from '../../dataset/formats/recognize.ts';
import type { Reading } from '../../dataset/formats/format.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { firstValues, type FileRecord, type RecordFile } from '../../edge/disk/records/record.ts';
import { openRecords } from '../../edge/disk/records/open-records.ts';

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
  const format = from ?? (await formOfFile(file));
  return { file, format, readings: () => readingsOf(file, format) };
}

async function formOfFile(file: RecordFile): Promise<FormatName> {
  const { values, unread } = await firstValues(file);
  if (values.length > 0 || unread === undefined) return recognize(file.path, values);
  throw new ChatLoadError('usage', {
    message: `No record of ${file.path} can be read: ${unread}.`,
    hint: 'Name a file of conversations: JSON, JSON Lines, CSV or Parquet; docs/datasets.md shows the forms.',
  });
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
