import { anthropic } from './anthropic.ts';
import { claudeExport, lmsys, sharegpt, wildchat } from './chat-exports.ts';
import type { DatasetFormat } from './format.ts';
import { openai } from './openai.ts';
import { rows } from './rows.ts';
import { runExamples } from './run-examples.ts';

/** Every form that is read. Where a file may be of two, the first is taken: they read the same of it. */
const table = {
  openai,
  anthropic,
  sharegpt,
  lmsys,
  wildchat,
  'claude-export': claudeExport,
  'chat-load': runExamples,
  rows,
} as const satisfies Readonly<Record<string, DatasetFormat>>;

export type FormatName = keyof typeof table;
export const formatNames = Object.keys(table) as readonly FormatName[];
export const datasetFormats: Readonly<Record<FormatName, DatasetFormat>> = table;

/** The columns of a table that any form reads. */
export const readFields: ReadonlySet<string> = new Set(formatNames.flatMap((name) => table[name].fields));
