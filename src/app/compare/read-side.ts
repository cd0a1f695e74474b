import { requireDocument, readText, readResult, readFolderFacts, readOther } from '../../edge/disk/read-result.ts';
import { parseDocument } from '../../edge/disk/parse-document.ts';
import { findResults, kindsOf, listJson } from '../../edge/disk/find-results.ts';
import { capacitySchema, capacityKind } from '../../capacity/document/capacity.ts';
import type { SearchOfSide, CapacitySide } from '../../capacity/compare/capacity-refusals.ts';
import { basename, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { type RunOfSide, type Side, type SideName, sideNames } from '../../compare/document/side.ts';
import { listedCapacitySchema } from '../../report/page/list/view-row.ts';
import { resultKind } from '../../result/result.ts';

/** Sources of one side's results: files, folders, patterns, or `label:NAME` for the results of a folder with that label. */
export interface SideSources {
  name: SideName;
  sources: readonly string[];
  /** Name of the side. Default: the label of its results. */
  label: string | undefined;
  /** Folder in which a label is looked up. */
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

/** Reads the capacities of a side. */
export async function readCapacitySide(sources: SideSources): Promise<CapacitySide> {
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

/** Functions that find and read documents of a kind. */
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
  if (first === undefined)
    throw new ChatLoadError('usage', {
      message: `No ${noun} for the ${name} (${sources.join(', ')}).`,
      hint,
    });
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
  throw new ChatLoadError('usage', {
    message: `A result of a run cannot be compared with a capacity: ${result?.source ?? ''} has results, ${capacity?.source ?? ''} capacities.`,
    hint: 'Name files of one kind on both sides; chat-load report FILE shows the contents of a file.',
  });
}

interface Named {
  source: string;
  /** Kinds that it contains. */
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

/** Returns the kinds of documents in a folder that have a label. */
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
