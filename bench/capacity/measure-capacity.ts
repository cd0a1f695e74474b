import type { Chapter } from '../chapter.ts';
import { chapterOf, measureSome } from '../measure-some.ts';
import { measureDataset } from './dataset.ts';
import { measureReplay } from './replay.ts';

interface CapacityBench {
  folder: string;
  /** The share of the full sizes. */
  scale: number;
  tell: (text: string) => void;
}

const fullReplaySeconds = 300;
const leastReplaySeconds = 10;

const measures: Readonly<Record<string, (bench: CapacityBench) => Promise<Chapter>>> = {
  dataset: async (bench) => chapterOf('Capacity: conversations from a file', await measureDataset(bench)),
  replay: async ({ folder, scale }) => {
    const seconds = Math.max(leastReplaySeconds, Math.round(fullReplaySeconds * scale));
    return chapterOf('Capacity: replay of a trace', await measureReplay({ folder, rows: 1_000_000, seconds }));
  },
};

/** The parts about capacity and real traffic, by name. */
export const capacityParts = Object.keys(measures);

/** How well the capacity search does, and what files of conversations and traces cost. Some parts or all. */
export function measureCapacity(bench: CapacityBench, only?: readonly string[]): Promise<Chapter[]> {
  return measureSome(measures, bench, only);
}
