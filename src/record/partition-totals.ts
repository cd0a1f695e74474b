import { addCounters, newCounters, type Counters } from './counters.ts';
import { DenseHistogram } from './dense-histogram.ts';
import type { LiveSeries, SeriesFigures } from './live-series.ts';
import type { LiveTally } from './live-tally.ts';
import type { Partition } from './partition.ts';
import { seriesNames, type SeriesName } from './series.ts';
import type { SparseHistogram } from './sparse-histogram.ts';

/** All values of a series so far. */
export interface SeriesTotal extends SeriesFigures {
  histogram: SparseHistogram;
}

/** Everything recorded so far of one phase (warm-up or measured) and retry policy. A copy: recording does not change it. */
export interface PartitionTotals {
  warmUp: boolean;
  /** The index of a policy in the plan. */
  policy: number;
  counters: Counters;
  /** A series without values is not there. */
  series: Partial<Record<SeriesName, SeriesTotal>>;
}

/** Adds up a partition: what is closed, what is still open, and the series that are waiting to be closed. */
export function totalsOf(partition: Partition, waiting: readonly LiveTally[]): PartitionTotals {
  const { warmUp, policy, total, open } = partition;
  const counters = newCounters();
  for (const tally of [total, ...open]) addCounters(counters, tally.counters);
  const series: PartitionTotals['series'] = {};
  for (const name of seriesNames) {
    const parts = [total, ...waiting, ...open].map((tally) => tally.series[name]).filter((each) => !each.isEmpty);
    if (parts.length > 0) series[name] = totalOf(parts);
  }
  return { warmUp, policy, counters, series };
}

/** Empty between two sums. */
const scratch = new DenseHistogram();

function totalOf(parts: readonly LiveSeries[]): SeriesTotal {
  const figures = parts.map((part) => part.figures);
  for (const part of parts) part.addTo(scratch);
  const histogram = scratch.filled();
  scratch.clear();
  return {
    sumUs: figures.reduce((sum, each) => sum + each.sumUs, 0),
    minUs: Math.min(...figures.map(({ minUs }) => minUs)),
    maxUs: Math.max(...figures.map(({ maxUs }) => maxUs)),
    histogram,
  };
}
