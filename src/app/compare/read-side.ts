import { basename } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import type { RunOfSide, Side, SideName } from '../../compare/document/side.ts';
import { findResults } from '../../edge/disk/find-results.ts';
import { readResult } from '../../edge/disk/read-result.ts';

/** Where the results of a side are: files, folders and patterns; or `label:NAME`, those of a folder with that label. */
export interface SideSources {
  name: SideName;
  sources: readonly string[];
  /** What the side is called; `undefined`: by its results. */
  label: string | undefined;
  /** The folder in which a label is looked for. */
  folder: string;
}

/** Reads the results of a side. */
export async function readSide({ name, sources, label, folder }: SideSources): Promise<Side> {
  const runs: RunOfSide[] = [];
  for (const source of sources) runs.push(...(await readSource(source, folder)));
  if (runs.length === 0)
    throw new ChatLoadError('usage', {
      message: `There is no result on the ${name} side (${sources.join(', ')}).`,
      hint: 'Name result files, folders with results, patterns such as "results/peak-*-v1.json", or label:NAME.',
    });
  return { label: label ?? labelOf(runs) ?? name, runs };
}

const prefix = 'label:';

async function readSource(source: string, folder: string): Promise<RunOfSide[]> {
  if (!source.startsWith(prefix)) return readAll(await findResults([source]));
  const wanted = source.slice(prefix.length);
  return (await readAll(await findResults([folder]))).filter(({ result }) => result.run.label === wanted);
}

async function readAll(files: readonly string[]): Promise<RunOfSide[]> {
  const runs: RunOfSide[] = [];
  for (const file of files) runs.push({ file, result: await readResult(file) });
  return runs;
}

/** The label that all runs share, or the name of the only file. */
function labelOf(runs: readonly RunOfSide[]): string | undefined {
  const [first] = runs;
  const label = first?.result.run.label;
  if (label !== null && label !== undefined && runs.every(({ result }) => result.run.label === label)) return label;
  return runs.length === 1 && first?.file ? basename(first.file, '.json') : undefined;
}
