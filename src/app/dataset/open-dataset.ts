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

/** A file of conversations with a known format. */
export interface Dataset {
  file: RecordFile;
  format: FormatName;
  /** Reads its conversations; may be called repeatedly. */
  readings(): AsyncIterable<readonly Reading[]>;
}

/** Opens a file in the given or detected format. Throws a usage error for an unknown format. */
export async function openDataset(path: string, from: FormatName | undefined): Promise<Dataset> {
  const file = await openRecords(path, (column) => readFields.has(column));
  const format = from ?? (await formOfFile(file));
  return { file, format, readings: () => readingsOf(file, format) };
}

async function formOfFile(file: RecordFile): Promise<FormatName> {
  const { values, unread } = await firstValues(file);
  if (values.length > 0 || unread === undefined) return recognize(file.path, values);
  throw new ChatLoadError('usage', {
    message: `Cannot read any record of ${file.path}: ${unread}.`,
    hint: 'Name a file of conversations: JSON, JSON Lines, CSV or Parquet; docs/reference/datasets.md describes the formats.',
  });
}

async function* readingsOf(file: RecordFile, format: FormatName): AsyncGenerator<readonly Reading[]> {
  const reader = datasetFormats[format].open();
  const read = (record: FileRecord): readonly Reading[] => {
    if ('problem' in record) return [record];
    const { place, value } = record;
    return isObject(value)
      ? reader.read(value, place)
      : [{ place, problem: 'otherForm', detail: 'it is not an object' }];
  };
  for await (const records of file.records()) yield records.flatMap(read);
  yield reader.end();
}

/** Returns the name of a record, such as `line 12`, with its file if there are several. */
export function placeName({ path, unit }: RecordFile, place: number, isOneOfSeveral: boolean): string {
  return `${isOneOfSeveral ? `${path} ` : ''}${unit} ${String(place)}`;
}

/** Inspects files of conversations in constant memory. Throws a usage error for an unreadable file. */
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
