import type { FigureSections } from '../assembly/assemble-sections.ts';
import type { SeriesName } from '../../record/series.ts';
import type { Drift } from '../sections/drift.ts';
import type { DriftReading } from './drift-series.ts';
import type { MetricPart } from './metric-part.ts';
import type { Validity } from '../validity/judge-validity.ts';

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
interface ComparisonRule {
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

/** The parts of a result that metrics are read from; `drift` is absent while the run goes on. */
export type Published = Omit<FigureSections, 'spending' | 'transport' | 'history'> & {
  validity: Validity;
  drift?: Drift;
};

/** `perHour`: a change an hour, as a share; `verdict`: invalid 0, degraded 1, valid 2. */
export type MetricUnit = 'ms' | 'share' | 'perSecond' | 'ratio' | 'count' | 'perHour' | 'verdict';

/** A value in its metric's unit, Infinity included; or why there is none. */
export type Reading = { value: number } | { value: null; reason: string };

/** One figure of a result that gates, comparisons and reports can name. */
export interface Metric {
  name: string;
  unit: MetricUnit;
  meaning: string;
  /** The direction of a change for the worse; `null`: none. */
  worse: 'higher' | 'lower' | null;
  /** The series that it is read from; none: it is read from counts. */
  series?: readonly SeriesName[];
  /** Number of values below which it is not published; absent where one is enough. */
  minimum?: number;
  /** Number of values that its interval needs; absent where it can have none. */
  intervalMinimum?: number;
  /** Whether it is known only when the run has ended. */
  isKnownAtEnd?: boolean;
  read(result: Published): Reading;
  /** The 95 % interval of the figure; absent where it can have none. */
  readInterval?(result: Published): IntervalReading;
  /** How releases are compared by it; absent where they are not. */
  comparison?: ComparisonRule;
  /** How it is followed through a run; absent where it is not. */
  drift?: DriftReading;
  /** How it is read as a part of a whole; absent where it is no such part, or known only when the run has ended. */
  part?: MetricPart;
}

/** An interval in its metric's unit, its upper end Infinity where it falls among failed turns; or why there is none. */
export type IntervalReading = { low: number; high: number } | { low: null; reason: string };
