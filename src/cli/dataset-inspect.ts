import { inspectDataset } from '../app/dataset/inspect-dataset.ts';
import type { FormatName } from '../dataset/formats/formats.ts';
import { printDocument } from './print-document.ts';

/** `dataset inspect`: prints what is in files. */
export async function inspect({
  files,
  from,
  json,
}: {
  files: string[];
  from?: FormatName | undefined;
  json: boolean;
}): Promise<void> {
  await printDocument(await inspectDataset(files, from), json ? 'json' : 'terminal');
}
