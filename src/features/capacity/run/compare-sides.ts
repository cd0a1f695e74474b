import type { Compared, Comparing, Sides } from '../../../app/compare/compared-kinds.ts';
import { readItems, type SideSources } from '../../../app/compare/read-items.ts';
import { compareCapacities, type CapacityJudging } from '../compare/compare-capacities.ts';
import type { CapacitySide, SearchOfSide } from '../compare/capacity-refusals.ts';
import { capacityKind, capacitySchema } from '../document/capacity.ts';
import { findResults } from '../../../edge/disk/find-results.ts';
import { parseDocument } from '../../../edge/disk/parse-document.ts';
import { readOther, readText, requireDocument } from '../../../edge/disk/read-result.ts';
import { toolVersion } from '../../../edge/tool-version.ts';
import { listedCapacitySchema } from '../report/capacity-rows.ts';

/** Comparison of the capacities of two releases. */
export const comparing: Comparing = {
  hasLabel: (file, label) => {
    const reading = readOther(file, capacityKind, listedCapacitySchema);
    return 'part' in reading && reading.part.label === label;
  },
  compare: compareSides,
};

async function compareSides(sides: Sides, judging: Omit<CapacityJudging, 'toolVersion'>): Promise<Compared> {
  const base = await readSide(sides.base);
  const head = await readSide(sides.head);
  return {
    comparison: compareCapacities({ base, head }, { ...judging, toolVersion }),
    sources: [...base.searches, ...head.searches].flatMap(({ file }) => file ?? []),
  };
}

async function readSide(sources: SideSources): Promise<CapacitySide> {
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
