import { requireDocument, readText, readResult, readFolderFacts, readOther } from '../../edge/disk/read-result.ts';
import { parseDocument } from '../../edge/disk/parse-document.ts';
import { findDocuments, findResults, kindsBehind, listJson } from '../../edge/disk/find-results.ts';
import { capacitySchema, capacityKind } from '../../capacity/document/capacity.ts';
import type { SearchOfSide, CapacitySide } from '../../capacity/compare/capacity-refusals.ts';
import { basename, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { type RunOfSide, type Side, type SideName, sideNames } from '../../compare/document/side.ts';
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

/** The same for capacities. */
export async function readCapacitySide(sources: SideSources): Promise<CapacitySide> {
  const { label, items } = await readItems(sources, {
    noun: 'capacity',
    hint: 'Name files that chat-load capacity wrote, a folder with them, or label:NAME.',
    find: (names) => findDocuments(names, capacityKind),
    read: async (file): Promise<SearchOfSide> => {
      const reading = parseDocument(await readText(file), capacityKind, capacitySchema);
      return { file, capacity: requireDocument(file, reading) };
    },
    labelOf: ({ capacity }) => capacity.label,
  });
  return { label, searches: items };
}

/** How documents of a kind are found and read. */
interface Reading<Item> {
  noun: string;
  hint: string;
  find: (names: readonly string[]) => Promise<readonly string[]>;
  read: (file: string) => Promise<Item>;
  labelOf: (item: Item) => string | null;
}

const prefix = 'label:';

/** The documents of a side, called by the label that all of them share, or by the name of the only file. */
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
  if (first === undefined)
    throw new ChatLoadError('usage', {
      message: `There is no ${noun} on the ${name} side (${sources.join(', ')}).`,
      hint,
    });
  const own = labelOf(first);
  const isOfAll = items.every((item) => labelOf(item) === own);
  const file = items.length === 1 && first.file !== null ? basename(first.file, '.json') : undefined;
  return { label: label ?? (isOfAll ? own : undefined) ?? file ?? name, items };
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
