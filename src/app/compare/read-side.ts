import { basename, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { type RunOfSide, type Side, type SideName, sideNames } from '../../compare/document/side.ts';
import { findResults, kindsBehind } from '../../edge/disk/find-results.ts';
import { readResult } from '../../edge/disk/read-result.ts';
import { capacityKind } from '../../capacity/document/capacity.ts';
import { listJson } from '../../edge/disk/find-results.ts';
import { readFolderFacts } from '../../edge/disk/read-result.ts';
import { readOther } from '../../edge/disk/read-result.ts';
import { listedCapacitySchema } from '../../report/page/list/view-row.ts';
import { resultKind } from '../../result/result.ts';

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

/**
 * Whether sides are of results or of capacities. Runs and searches land in one folder: of a folder or a label that has both,
 * those are compared that the other sources have too, and results where all have both. Throws a usage error where no kind is
 * on both sides.
 */
export async function comparedKind(sides: Readonly<Record<SideName, SideSources>>): Promise<'result' | 'capacity'> {
  const named = await Promise.all(
    sideNames.flatMap((side) => sides[side].sources.map((source) => ofSource(source, sides[side].folder))),
  );
  if (named.every((source) => canBe(resultKind, source))) return 'result';
  if (named.every((source) => canBe(capacityKind, source))) return 'capacity';
  const [result, capacity] = [resultKind, capacityKind].map((kind) => named.find(({ kinds }) => kinds.has(kind)));
  throw new ChatLoadError('usage', {
    message: `A result of a run cannot be compared with a capacity: ${result?.source ?? ''} has results, ${capacity?.source ?? ''} capacities.`,
    hint: 'Give files of one kind on both sides; chat-load report FILE shows what a file is.',
  });
}

interface Named {
  source: string;
  /** Of both kinds, those that it has. */
  kinds: ReadonlySet<string>;
  /** It is a folder or a label, of which some are taken; of files all are. */
  isChoice: boolean;
}

/** What has none of both is refused by who reads it. */
const canBe = (kind: string, { kinds, isChoice }: Named): boolean =>
  kinds.size === 0 || (kinds.has(kind) && (isChoice || kinds.size === 1));

async function ofSource(source: string, folder: string): Promise<Named> {
  const isLabel = source.startsWith(prefix);
  const behind = await kindsBehind(isLabel ? folder : source);
  const both = new Set([resultKind, capacityKind].filter((kind) => behind.has(kind)));
  const kinds = isLabel && both.size === 2 ? kindsOfLabel(source.slice(prefix.length), folder) : both;
  return { source, kinds, isChoice: isLabel || !/[*?]|\.json$/i.test(source) };
}

/** What in a folder has a label. */
function kindsOfLabel(label: string, folder: string): ReadonlySet<string> {
  const { taken } = readFolderFacts({ folder }, (_, { run }) => run.label);
  const isOfCapacity = (file: string): boolean => {
    const reading = readOther(join(folder, file), capacityKind, listedCapacitySchema);
    return 'part' in reading && reading.part.label === label;
  };
  return new Set([
    ...(taken.includes(label) ? [resultKind] : []),
    ...(listJson(folder).some(isOfCapacity) ? [capacityKind] : []),
  ]);
}
