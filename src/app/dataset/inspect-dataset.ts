import type { FormatName } from '../../dataset/formats/recognize.ts';
import type { DatasetDocument } from '../../dataset/inspect/dataset-document.ts';
import { Inspector } from '../../dataset/inspect/inspector.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { openDataset } from './open-dataset.ts';
import { placeName } from './place-name.ts';

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
