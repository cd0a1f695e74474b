import type { HistogramPool } from './dense-histogram.ts';
import { shortestIntervalMs, startOf } from './interval-width.ts';
import { LiveTally } from './tally.ts';
import { addCounters, newCounters, type Counters } from './counters.ts';
import { sumOfSeries, type LiveSeries, type SeriesFigures } from './stored-series.ts';
import { seriesNames, type SeriesName } from './series.ts';
import type { SparseHistogram } from './sparse-histogram.ts';

/** Tallies of one phase and policy: a total, and one per open interval. */
export class Partition {
  readonly warmUp: boolean;
  readonly policy: number;
  readonly total: LiveTally;
  readonly #pool: HistogramPool;
  #open: LiveTally[] = [];
  #current: LiveTally | undefined;

  constructor(pool: HistogramPool, { warmUp, policy }: { warmUp: boolean; policy: number }) {
    this.warmUp = warmUp;
    this.policy = policy;
    this.total = new LiveTally(pool);
    this.#pool = pool;
  }

  get open(): readonly LiveTally[] {
    return this.#open;
  }

  /** Returns the open tally of the interval of an event, `elapsedMs` after the start of the run. */
  at(elapsedMs: number): LiveTally {
    const current = this.#current;
    if (current !== undefined && elapsedMs >= current.from && elapsedMs < current.until) return current;
    return this.#find(elapsedMs);
  }

  /** Removes and returns the tallies of intervals that ended by `elapsedMs`; a late observation opens a new one. */
  takeEnded(elapsedMs: number): LiveTally[] {
    const ended = this.#open.filter((tally) => tally.until <= elapsedMs);
    if (ended.length === 0) return ended;
    this.#open = this.#open.filter((tally) => tally.until > elapsedMs);
    this.#current = this.#open.at(-1);
    return ended;
  }

  #find(elapsedMs: number): LiveTally {
    const from = startOf(elapsedMs, shortestIntervalMs);
    const tally = this.#open.find((each) => each.from === from) ?? this.#openAt(from);
    if (this.#current === undefined || from > this.#current.from) this.#current = tally;
    return tally;
  }

  #openAt(from: number): LiveTally {
    const tally = new LiveTally(this.#pool, { from, until: from + shortestIntervalMs });
    this.#open.push(tally);
    return tally;
  }
}

export interface SeriesTotal extends SeriesFigures {
  histogram: SparseHistogram;
}

/** Copy of everything recorded so far for one phase (warm-up or measured) and retry policy. */
export interface PartitionTotals {
  warmUp: boolean;
  policy: number;
  counters: Counters;
  series: Partial<Record<SeriesName, SeriesTotal>>;
}

/** Sums a partition: its closed and open intervals, and the series that are waiting to be closed. */
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

function totalOf(parts: readonly LiveSeries[]): SeriesTotal {
  const figures = parts.map((part) => part.figures);
  return {
    sumUs: figures.reduce((sum, each) => sum + each.sumUs, 0),
    minUs: Math.min(...figures.map(({ minUs }) => minUs)),
    maxUs: Math.max(...figures.map(({ maxUs }) => maxUs)),
    histogram: sumOfSeries(parts),
  };
}
