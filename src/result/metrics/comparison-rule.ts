/** How a figure is made from the intervals of a run. */
export type MetricSource =
  | { kind: 'quantile'; series: string; quantile: number }
  | { kind: 'mean'; series: string }
  /** Events per second. */
  | { kind: 'rate'; of: string }
  /** Events per event of another kind, at least one each: the excess is what is rare. */
  | { kind: 'ratio'; of: string; per: string }
  /** Events among those that they are part of; `rest`: where things go well nearly all are, and the others are rare. */
  | { kind: 'share'; of: string; among: string; rare?: 'rest' };

/** How releases are compared by a metric. */
export interface ComparisonRule {
  source: MetricSource;
  /** The least change that matters: relative (0.05 is 5 %), for a share in absolute terms (0.001 is 0.1 points). */
  margin: number;
  /** Its rank among the metrics that can fail a comparison; absent: it is informational. */
  decides?: number;
  /** Whether it is of the content of replies in pieces: it decides only where all runs have them. */
  isOfStreams?: boolean;
  /** Whether it is read from the totals, since intervals do not contain it. */
  isOfTotals?: boolean;
}

/**
 * Least changes that matter. A margin below about twice the noise between runs takes too many runs, so
 * the further out in the tail, the wider.
 */
const quantiles: Readonly<Record<string, { quantile: number; margin: number }>> = {
  p50: { quantile: 0.5, margin: 0.05 },
  p90: { quantile: 0.9, margin: 0.05 },
  p95: { quantile: 0.95, margin: 0.07 },
  p99: { quantile: 0.99, margin: 0.1 },
  'p99.9': { quantile: 0.999, margin: 0.2 },
};
const meanMargin = 0.05;
const rateMargin = 0.03;
/** A tenth of a percentage point. */
const failureMargin = 0.001;

/** A percentile, or the mean, of a series. */
export function compareStatistic(series: string, statistic: string): ComparisonRule {
  const known = quantiles[statistic];
  if (known === undefined) return { source: { kind: 'mean', series }, margin: meanMargin };
  const { quantile, margin } = known;
  return { source: { kind: 'quantile', series, quantile }, margin };
}

/** The share of what failed. */
export function compareFailures(of: string, among: string): ComparisonRule {
  return { source: { kind: 'share', of, among }, margin: failureMargin };
}

/** Events per second. */
export function compareRate(of: string): ComparisonRule {
  return { source: { kind: 'rate', of }, margin: rateMargin };
}
