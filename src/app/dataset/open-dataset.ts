import { toolVersion } from '../../edge/tool-version.ts';
import { Inspector } from '../../dataset/inspect/inspector.ts';
import type { DatasetDocument } from '../../dataset/inspect/dataset-document.ts';
import { readFields, datasetFormats, recognize } from '../../dataset/formats/recognize.ts';
import { type FormatName } from '../../dataset/formats/format.ts';
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

/** `line 12`; with its file, where there are several. */
export function placeName({ path, unit }: RecordFile, place: number, isOneOfSeveral: boolean): string {
  return `${isOneOfSeveral ? `${path} ` : ''}${unit} ${String(place)}`;
}

/** Looks at files of conversations, in constant memory. Throws a usage error where one cannot be read. */
export async function inspectDataset(paths: readonly string[], from: FormatName | undefined): Promise<DatasetDocument> {
  const datasets = await Promise.all(paths.map((path) => openDataset(path, from)));
  const inspector = new Inspector();
  for (const dataset of datasets)
    for await (const readings of dataset.readings())
      for (const reading of readings) inspector.add(reading, placeName(dataset.file, reading.place, paths.length > 1));
  return {
    kind: 'chat-load/dataset',
    schemaVersion: 1,
    toolVersion,
    files: datasets.map(({ file: { path, bytes, container }, format }) => ({ path, format, container, bytes })),
    ...inspector.findings(),
  };
}
