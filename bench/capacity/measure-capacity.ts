import type { Chapter } from '../chapter.ts';
import { chapterOf, measureSome } from '../measure-some.ts';
import { measureDataset } from './dataset.ts';
import { measureReplay } from './replay.ts';
import { measureSockets } from './sockets.ts';
import { measureBisection, measureSearches, measureTruths } from './searches.ts';

interface CapacityBench {
  folder: string;
  /** Fraction of the full sizes. */
  scale: number;
  report: (text: string) => void;
}

const fullReplaySeconds = 300;
const minReplaySeconds = 10;

const fullTrials = 100;
const fullTruthHours = 40;

const measures: Readonly<Record<string, (bench: CapacityBench) => Promise<Chapter>>> = {
  truths: ({ scale, report }) => {
    const hours = Math.max(2, fullTruthHours * scale);
    return Promise.resolve(chapterOf('Capacity: truths of the models', measureTruths({ hours, report })));
  },
  search: async ({ scale, report }) => {
    const trials = Math.max(2, Math.round(fullTrials * scale));
    return chapterOf('Capacity: searches with known truths', await measureSearches({ trials, report }));
  },
  bisection: async ({ scale, report }) => {
    const trials = Math.max(2, Math.round(fullTrials * scale));
    return chapterOf('Capacity: against plain bisection', await measureBisection({ trials, report }));
  },
  sockets: async (bench) => chapterOf('Capacity: searches over sockets with known truths', await measureSockets(bench)),
  dataset: async (bench) => chapterOf('Capacity: conversations from a file', await measureDataset(bench)),
  replay: async ({ folder, scale }) => {
    const seconds = Math.max(minReplaySeconds, Math.round(fullReplaySeconds * scale));
    return chapterOf('Capacity: replay of a trace', await measureReplay({ folder, rows: 1_000_000, seconds }));
  },
};

/** Names of the parts about capacity and real traffic. */
export const capacityParts = Object.keys(measures);

/** Measures the accuracy of the capacity search and the cost of conversation files and traces; some parts or all. */
export function measureCapacity(bench: CapacityBench, only?: readonly string[]): Promise<Chapter[]> {
  return measureSome(measures, bench, only);
}
