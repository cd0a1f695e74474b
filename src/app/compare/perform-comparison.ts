import { dirname, join, basename } from 'node:path';
import type { Comparison } from '../../compare/document/comparison.ts';
import { type SideName, type Side, type RunOfSide, sideNames } from '../../compare/document/side.ts';
import { compareResults, defaultAssumedNoise } from '../../compare/compare-results.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { usageError } from '../../base/errors.ts';
import { selfTestResults, type SelfTest } from '../../compare/self-test.ts';
import { readResult, readText, requireDocument, readFolderFacts, readOther } from '../../edge/disk/read-result.ts';
import { type Result, resultKind } from '../../result/result.ts';
import { existsSync } from 'node:fs';
import { historySchema, type History } from '../../compare/document/history.ts';
import { parseDocument } from '../../edge/disk/parse-document.ts';
import type { CapacityComparison } from '../../capacity/compare/capacity-comparison.ts';
import { compareCapacities, type CapacityJudging } from '../../capacity/compare/compare-capacities.ts';
import { findResults, kindsOf, listJson } from '../../edge/disk/find-results.ts';
import { capacitySchema, capacityKind } from '../../capacity/document/capacity.ts';
import type { SearchOfSide, CapacitySide } from '../../capacity/compare/capacity-refusals.ts';
import { listedCapacitySchema } from '../../report/page/list/view-row.ts';

/** Reads the results of two releases and compares them. Throws a usage error for results or a history that cannot be read. */
export async function performComparison(
  sides: Readonly<Record<SideName, SideSources>>,
  judging: Judging,
): Promise<Comparison> {
  const base = await readSide(sides.base);
  const head = await readSide(sides.head);
  return judgeSides({ base, head }, judging, dirname(base.runs[0]?.file ?? ''));
}

export interface Judging {
  /** Margins by metric; other metrics keep their defaults. */
  margins: ReadonlyMap<string, number>;
  /** Maximum share of false alarms among alarms. */
  q: number;
  force: boolean;
  failOnInconclusive: boolean;
  /** Path of the history; `undefined`: `history.json` next to the results, if it exists; `null`: none. */
  history: string | null | undefined;
  /** Assumed noise between batches of runs without a history, as a share. */
  assumedNoise: number;
}

export const defaultJudging: Judging = {
  margins: new Map(),
  q: 0.05,
  force: false,
  failOnInconclusive: false,
  history: undefined,
  assumedNoise: defaultAssumedNoise,
};

/** Compares two releases, by default with the history of a folder. Throws a usage error for an unreadable history. */
export async function judgeSides(
  sides: Readonly<Record<SideName, Side>>,
  judging: Judging,
  folder: string,
): Promise<Comparison> {
  return compareResults({ ...judging, ...sides, history: await readHistory(judging.history, folder), toolVersion });
}

export type SelfTested = SelfTest & { label: string };

/** Compares the runs of one release with each other, many times. Throws a usage error for fewer than ten runs. */
export async function performSelfTest(sources: SideSources, { q }: { q: number }): Promise<SelfTested> {
  const side = await readSide(sources);
  const found = selfTestResults(side, { q });
  if (found !== null) return { label: side.label, ...found };
  throw usageError(
    `A self-test needs at least ten runs of one release; there ${side.runs.length === 1 ? 'is 1' : `are ${String(side.runs.length)}`}.`,
    'Add runs with chat-load run SCENARIO --repeat 10.',
  );
}

/** Reads the results of a comparison again, as far as possible, to draw them over time. */
export async function readCompared({ base, head }: Comparison): Promise<Result[]> {
  const files = [...base.runs, ...head.runs].flatMap(({ file }) => file ?? []);
  // A file may have been removed since.
  const read = await Promise.all(files.map((file) => readResult(file).catch(() => undefined)));
  return read.filter((result) => result !== undefined);
}

/**
 * Reads a history written by trend. `undefined` as path: the `history.json` of a folder, if it exists; `null`: none.
 */
export async function readHistory(path: string | null | undefined, folder: string): Promise<History | undefined> {
  if (path === null) return undefined;
  const own = join(folder, 'history.json');
  if (path === undefined && !existsSync(own)) return undefined;
  const file = path ?? own;
  const reading = parseDocument(await readText(file), 'chat-load/history', historySchema);
  if ('part' in reading) return reading.part;
  throw usageError(
    `${file} ${reading.problem}.`,
    'chat-load trend --history FILE writes it again; --no-history compares without it.',
  );
}

/** Reads the capacities of two releases and compares them. Throws a usage error for an unreadable one. */
export async function performCapacityComparison(
  sides: Readonly<Record<SideName, SideSources>>,
  judging: Omit<CapacityJudging, 'toolVersion'>,
): Promise<CapacityComparison> {
  const base = await readCapacitySide(sides.base);
  const head = await readCapacitySide(sides.head);
  return compareCapacities({ base, head }, { ...judging, toolVersion });
}

/** Sources of one side's results: files, folders, patterns, or `label:NAME` for the results of a folder with that label. */
export interface SideSources {
  name: SideName;
  sources: readonly string[];
  /** Name of the side. Default: the label of its results. */
  label: string | undefined;
  /** Folder in which a label is looked up. */
  folder: string;
}

export async function readSide(sources: SideSources): Promise<Side> {
  const { label, items } = await readItems(sources, {
    noun: 'result',
    hint: 'Name result files, folders with results, patterns such as "results/peak-*-v1.json", or label:NAME.',
    find: findResults,
    read: async (file): Promise<RunOfSide> => ({ file, result: await readResult(file) }),
    labelOf: ({ result }) => result.run.label,
  });
  return { label, runs: items };
}

async function readCapacitySide(sources: SideSources): Promise<CapacitySide> {
  const { label, items } = await readItems(sources, {
    noun: 'capacity',
    hint: 'Name files that chat-load capacity wrote, a folder with them, or label:NAME.',
    find: (names) => findResults(names, capacityKind),
    read: async (file): Promise<SearchOfSide> => {
      const reading = parseDocument(await readText(file), capacityKind, capacitySchema);
      return { file, capacity: requireDocument(file, reading) };
    },
    labelOf: ({ capacity }) => capacity.label,
  });
  return { label, searches: items };
}

interface Reading<Item> {
  noun: string;
  hint: string;
  find: (names: readonly string[]) => Promise<readonly string[]>;
  read: (file: string) => Promise<Item>;
  labelOf: (item: Item) => string | null;
}

const prefix = 'label:';

/** Reads the documents of a side, named after their common label or the only file. */
async function readItems<Item extends { file: string | null }>(
  { name, sources, label, folder }: SideSources,
  { noun, hint, find, read, labelOf }: Reading<Item>,
): Promise<{ label: string; items: Item[] }> {
  const items: Item[] = [];
  for (const source of sources) {
    const wanted = source.startsWith(prefix) ? source.slice(prefix.length) : undefined;
    const found: Item[] = [];
    for (const file of await find([wanted === undefined ? source : folder])) found.push(await read(file));
    items.push(...found.filter((item) => wanted === undefined || labelOf(item) === wanted));
  }
  const [first] = items;
  if (first === undefined) throw usageError(`No ${noun} for the ${name} (${sources.join(', ')}).`, hint);
  const own = labelOf(first);
  const isOfAll = items.every((item) => labelOf(item) === own);
  const file = items.length === 1 && first.file !== null ? basename(first.file, '.json') : undefined;
  return { label: label ?? (isOfAll ? own : undefined) ?? file ?? name, items };
}

/**
 * Returns whether results or capacities are compared. A folder or label may contain both; then the kind of the other sources
 * is compared, and results if all contain both. Throws a usage error if no kind is on both sides.
 */
export async function comparedKind(sides: Readonly<Record<SideName, SideSources>>): Promise<'result' | 'capacity'> {
  const named = await Promise.all(
    sideNames.flatMap((side) => sides[side].sources.map((source) => ofSource(source, sides[side].folder))),
  );
  if (named.every((source) => canBe(resultKind, source))) return 'result';
  if (named.every((source) => canBe(capacityKind, source))) return 'capacity';
  const [result, capacity] = [resultKind, capacityKind].map((kind) => named.find(({ kinds }) => kinds.has(kind)));
  throw usageError(
    `A result of a run cannot be compared with a capacity: ${result?.source ?? ''} has results, ${capacity?.source ?? ''} capacities.`,
    'Name files of one kind on both sides; chat-load report FILE shows the contents of a file.',
  );
}

interface Named {
  source: string;
  kinds: ReadonlySet<string>;
  /** True for a folder or a label, of which some documents are selected; of files, all are. */
  isChoice: boolean;
}

/** Reports whether a source can provide a kind; the reader rejects sources with neither kind. */
const canBe = (kind: string, { kinds, isChoice }: Named): boolean =>
  kinds.size === 0 || (kinds.has(kind) && (isChoice || kinds.size === 1));

async function ofSource(source: string, folder: string): Promise<Named> {
  const isLabel = source.startsWith(prefix);
  const behind = await kindsOf(isLabel ? folder : source);
  const both = new Set([resultKind, capacityKind].filter((kind) => behind.has(kind)));
  const kinds = isLabel && both.size === 2 ? kindsOfLabel(source.slice(prefix.length), folder) : both;
  return { source, kinds, isChoice: isLabel || !/[*?]|\.json$/i.test(source) };
}

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
