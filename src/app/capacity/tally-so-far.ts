import { storeCounters, sumCounters } from '../../record/counters.ts';
import type { PartitionTotals } from '../../record/partition-totals.ts';
import type { SeriesName } from '../../record/series.ts';
import { mergeSeries, type StoredSeries } from '../../record/stored-series.ts';
import type { Tally } from '../../record/tally.ts';
import { writeSparse } from '../../record/write-sparse.ts';

/** Everything recorded so far, with the series that are wanted: encoding one takes a part of a millisecond. */
export function tallySoFar(totals: readonly PartitionTotals[], wanted: readonly SeriesName[]): Tally {
  const series: Tally['series'] = {};
  for (const name of wanted) {
    const merged = mergeSeries(totals.map((each) => storedOf(each, name)));
    if (merged !== undefined) series[name] = merged;
  }
  return { counters: storeCounters(sumCounters(totals.map(({ counters }) => counters))), series };
}

function storedOf({ series }: PartitionTotals, name: SeriesName): StoredSeries | undefined {
  const total = series[name];
  if (total === undefined) return undefined;
  const { sumUs, minUs, maxUs, histogram } = total;
  return { count: histogram.total, sumUs, minUs, maxUs, clamped: 0, hdr: writeSparse(histogram) };
}
