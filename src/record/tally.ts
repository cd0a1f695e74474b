import {
  addCounters,
  newCounters,
  type Counters,
  storeCounters,
  storedCountersSchema,
  sumCounters,
} from './counters.ts';
import type { HistogramPool } from './dense-histogram.ts';
import { mergeSeries, storedSeriesSchema, LiveSeries } from './stored-series.ts';
import { positions } from './positions.ts';
import { seriesNames, type SeriesName } from './series.ts';
import { z } from 'zod';

/** Tally in progress for one phase (warm-up or measured), one policy and one interval, or for all intervals. */
export class LiveTally {
  readonly from: number;
  readonly until: number;
  readonly counters: Counters = newCounters();
  readonly series: Readonly<Record<SeriesName, LiveSeries>>;
  /** Series of ok and failed turns by position, so that the hot path builds no names. */
  readonly okTurns: readonly LiveSeries[];
  readonly failedTurns: readonly LiveSeries[];
  /** Series of first tokens of ok and other attempts by position. */
  readonly okFirstTokens: readonly LiveSeries[];
  readonly failedFirstTokens: readonly LiveSeries[];

  constructor(pool: HistogramPool, span: { from: number; until: number } = { from: 0, until: Infinity }) {
    this.from = span.from;
    this.until = span.until;
    const series = seriesNames.map((name) => [name, new LiveSeries(pool)] as const);
    this.series = Object.fromEntries(series) as Record<SeriesName, LiveSeries>;
    this.okTurns = positions.map((position) => this.series[`turn.${position}.ok`]);
    this.failedTurns = positions.map((position) => this.series[`turn.${position}.failed`]);
    this.okFirstTokens = positions.map((position) => this.series[`firstToken.${position}.ok`]);
    this.failedFirstTokens = positions.map((position) => this.series[`firstToken.${position}.failed`]);
  }

  /** Adds the counters of another tally; its series are absorbed one by one, since each takes some time. */
  absorbCounters(other: LiveTally): void {
    addCounters(this.counters, other.counters);
  }

  release(): void {
    for (const name of seriesNames) this.series[name].release();
  }
}

export const tallySchema = z.object({
  counters: storedCountersSchema,
  series: z.partialRecord(z.enum(seriesNames), storedSeriesSchema),
});

/** Stored counters and series: of an interval, of a policy, or of a whole run. */
export type Tally = z.infer<typeof tallySchema>;

/** Merges tallies exactly, in any order. */
export function mergeTallies(parts: readonly Tally[]): Tally {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return { counters: first.counters, series: first.series };
  const series: Tally['series'] = {};
  for (const name of seriesNames) {
    const merged = mergeSeries(parts.map((part) => part.series[name]));
    if (merged !== undefined) series[name] = merged;
  }
  return { counters: storeCounters(sumCounters(parts.map((part) => part.counters))), series };
}

/** Returns the stored form of a live tally without changing it: its counters, and the requested series. */
export function storeTally(live: LiveTally, wanted: readonly SeriesName[] = seriesNames): Tally {
  const series: Tally['series'] = {};
  for (const name of wanted) {
    const stored = live.series[name].store();
    if (stored !== undefined) series[name] = stored;
  }
  return { counters: storeCounters(live.counters), series };
}
