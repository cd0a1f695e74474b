import { basename } from 'node:path';
import { usageError } from '../../base/errors.ts';
import type { SideName } from '../../compare/document/side.ts';

/** Sources of one side's results: files, folders, patterns, or `label:NAME` for the results of a folder with that label. */
export interface SideSources {
  name: SideName;
  sources: readonly string[];
  /** Name of the side. Default: the label of its results. */
  label: string | undefined;
  /** Folder in which a label is looked up. */
  folder: string;
}

interface Reading<Item> {
  noun: string;
  hint: string;
  find: (names: readonly string[]) => Promise<readonly string[]>;
  read: (file: string) => Promise<Item>;
  labelOf: (item: Item) => string | null;
}

/** Begins a source that stands for the documents of a folder with a label. */
export const prefix = 'label:';

/** Reads the documents of a side, named after their common label or the only file. */
export async function readItems<Item extends { file: string | null }>(
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
