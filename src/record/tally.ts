import { z } from 'zod';
import { storeCounters, storedCountersSchema, sumCounters } from './counters.ts';
import type { LiveTally } from './live-tally.ts';
import { seriesNames, type SeriesName } from './series.ts';
import { mergeSeries, storedSeriesSchema } from './stored-series.ts';

export const tallySchema = z.object({
  counters: storedCountersSchema,
  /** A series without values is not there. */
  series: z.partialRecord(z.enum(seriesNames), storedSeriesSchema),
});

/** Counters and series as they are kept: of an interval, of a policy, or of a whole run. */
export type Tally = z.infer<typeof tallySchema>;

/** The sum of tallies. Exact, and the same in any order. */
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

/** Keeps what a live tally holds, without touching it: its counters, and the series that are wanted. */
export function storeTally(live: LiveTally, wanted: readonly SeriesName[] = seriesNames): Tally {
  const series: Tally['series'] = {};
  for (const name of wanted) {
    const stored = live.series[name].store();
    if (stored !== undefined) series[name] = stored;
  }
  return { counters: storeCounters(live.counters), series };
}
