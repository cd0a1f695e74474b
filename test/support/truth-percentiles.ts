import { decodeHistogram } from '../../src/record/histogram.ts';
import type { Interval } from '../../src/result/sections/intervals.ts';
import type { LatencySummary, Percentiles } from '../../src/result/sections/latency-summary.ts';

/** The published percentiles as parts of ten thousand, and the samples below which each is null. */
const published: readonly (readonly [keyof Percentiles, number, number])[] = [
  ['p50Ms', 5000, 11],
  ['p75Ms', 7500, 24],
  ['p90Ms', 9000, 64],
  ['p95Ms', 9500, 130],
  ['p99Ms', 9900, 662],
  ['p999Ms', 9990, 6636],
  ['p9999Ms', 9999, 66_381],
];

const rankOf = (partsOfTenThousand: number, count: number): number => Math.ceil((partsOfTenThousand * count) / 10_000);

/** HDR with 3 significant digits, in whole microseconds. */
const isResolved = (measured: number, known: number): boolean => Math.abs(measured - known) <= known * 0.001 + 0.001;

/** Returns deviations of a published summary from the order statistics of all values, beyond the histogram's resolution. */
export function departures(summary: LatencySummary, known: readonly number[]): string[] {
  const sorted = [...known].sort((a, b) => a - b);
  const count = sorted.length;
  if (summary.count !== count) return [`count: ${String(summary.count)} of ${String(count)}`];
  const figures: (readonly [string, number | null, number | undefined])[] = [
    ['min', summary.minMs, sorted[0]],
    ['max', summary.maxMs, sorted.at(-1)],
    ['mean', summary.meanMs, sorted.reduce((a, b) => a + b, 0) / count],
  ];
  for (const [key, parts, floor] of published)
    figures.push([key, summary[key], count < floor ? undefined : sorted[rankOf(parts, count) - 1]]);
  return figures.flatMap(([name, measured, truth]) => {
    const holds = measured === null || truth === undefined ? measured === (truth ?? null) : isResolved(measured, truth);
    return holds ? [] : [`${name}: ${String(measured)}, known ${String(truth)}`];
  });
}

/** Compares a series that was merged from the histograms of the intervals. */
export function departuresOfIntervals(
  intervals: readonly Interval[],
  series: 'attempt' | 'turn' | 'effective',
  known: readonly number[],
): string[] {
  const whole = decodeHistogram(intervals[0]?.latency[`${series}.ok`]?.hdr ?? '');
  whole.reset();
  for (const { latency } of intervals)
    for (const end of ['ok', 'failed'] as const) {
      const stored = latency[`${series}.${end}`];
      if (stored !== undefined) whole.add(decodeHistogram(stored.hdr));
    }
  const sorted = [...known].sort((a, b) => a - b);
  return published.flatMap(([name, parts]) => {
    const rank = rankOf(parts, sorted.length);
    const measured = whole.getValueAtPercentile(((rank - 0.5) / sorted.length) * 100) / 1000;
    const truth = sorted[rank - 1] ?? NaN;
    return isResolved(measured, truth) ? [] : [`${name}: ${String(measured)}, known ${String(truth)}`];
  });
}
