import { z } from 'zod';
import { storeCounters, storedCountersSchema, sumCounters } from './counters.ts';
import type { LiveTally } from './live-tally.ts';
import { seriesNames, type SeriesName } from './series.ts';
import { mergeSeries, storedSeriesSchema, type StoredSeries } from './stored-series.ts';

export const tallySchema = z.object({
  counters: storedCountersSchema,
  /** A series without values is not there. */
  series: z.partialRecord(z.enum(seriesNames), storedSeriesSchema),
});

/** Counters and series as they are kept: of an interval, of a policy, or of a whole run. */
export type Tally = z.infer<typeof tallySchema>;

/** The sum of tallies. Exact, and the same in any order. */
export function mergeTallies(parts: readonly Tally[]): Tally {
  const series: Tally['series'] = {};
  for (const name of seriesNames) {
    const merged = mergeNamed(parts, [name]);
    if (merged !== undefined) series[name] = merged;
  }
  return { counters: storeCounters(sumCounters(parts.map((part) => part.counters))), series };
}

/** The sum of some series over any number of tallies; `undefined` when there are no values. */
export function mergeNamed(parts: readonly Tally[], names: readonly SeriesName[]): StoredSeries | undefined {
  const [first, ...rest] = parts.flatMap((part) => names.flatMap((name) => part.series[name] ?? []));
  return first === undefined ? undefined : mergeSeries(first, ...rest);
}

/** Keeps what a live tally holds, without touching it. */
export function storeTally(live: LiveTally): Tally {
  const series: Tally['series'] = {};
  for (const name of seriesNames) {
    const stored = live.series[name].store();
    if (stored !== undefined) series[name] = stored;
  }
  return { counters: storeCounters(live.counters), series };
}
