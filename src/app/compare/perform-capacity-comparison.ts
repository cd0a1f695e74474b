import { basename } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import type { CapacityComparison } from '../../capacity/compare/capacity-comparison.ts';
import type { CapacitySide, SearchOfSide } from '../../capacity/compare/capacity-refusals.ts';
import { compareCapacities, type CapacityJudging } from '../../capacity/compare/compare-capacities.ts';
import { capacityKind, capacitySchema } from '../../capacity/document/capacity.ts';
import type { SideName } from '../../compare/document/side.ts';
import { findDocuments } from '../../edge/disk/find-results.ts';
import { parseDocument } from '../../edge/disk/parse-document.ts';
import { readText, requireDocument } from '../../edge/disk/read-result.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { SideSources } from './read-side.ts';

/** Reads the capacities of two releases and compares them. Throws a usage error for one that cannot be read. */
export async function performCapacityComparison(
  sides: Readonly<Record<SideName, SideSources>>,
  judging: Omit<CapacityJudging, 'toolVersion'>,
): Promise<CapacityComparison> {
  const base = await readCapacitySide(sides.base);
  const head = await readCapacitySide(sides.head);
  return compareCapacities({ base, head }, { ...judging, toolVersion });
}

async function readCapacitySide({ name, sources, label, folder }: SideSources): Promise<CapacitySide> {
  const searches: SearchOfSide[] = [];
  for (const source of sources) searches.push(...(await readSource(source, folder)));
  const [first] = searches;
  if (first === undefined)
    throw new ChatLoadError('usage', {
      message: `There is no capacity on the ${name} side (${sources.join(', ')}).`,
      hint: 'Name files that chat-load capacity wrote, a folder with them, or label:NAME.',
    });
  const own = first.capacity.label;
  const isOfAll = own !== null && searches.every(({ capacity }) => capacity.label === own);
  const file = searches.length === 1 && first.file !== null ? basename(first.file, '.json') : undefined;
  return { label: label ?? (isOfAll ? own : undefined) ?? file ?? name, searches };
}

async function readSource(source: string, folder: string): Promise<SearchOfSide[]> {
  const prefix = 'label:';
  if (!source.startsWith(prefix)) return readAll([source]);
  const wanted = source.slice(prefix.length);
  return (await readAll([folder])).filter(({ capacity }) => capacity.label === wanted);
}

async function readAll(names: readonly string[]): Promise<SearchOfSide[]> {
  const searches: SearchOfSide[] = [];
  for (const file of await findDocuments(names, capacityKind)) {
    const reading = parseDocument(await readText(file), capacityKind, capacitySchema);
    searches.push({ file, capacity: requireDocument(file, reading) });
  }
  return searches;
}
