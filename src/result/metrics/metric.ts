import type { Plan } from '../../plan/plan.ts';
import type { FigureSections } from '../assembly/assemble-sections.ts';
import type { SeriesName } from '../../record/series.ts';
import type { Drift } from '../sections/drift.ts';
import type { DriftReading } from './drift-series.ts';
import type { MetricPart } from './metric-part.ts';
import type { Validity } from '../validity/judge-validity.ts';

/** Source of a figure in the intervals of a run. */
export type MetricSource =
  | { kind: 'quantile'; series: string; quantile: number }
  | { kind: 'mean'; series: string }
  /** A sum per event: `scale` units of the sum are one of the metric's. */
  | { kind: 'quotient'; of: string; per: string; scale: number }
  | { kind: 'rate'; of: string }
  /** Events per event of another kind, at least one each: the excess is rare. */
  | { kind: 'ratio'; of: string; per: string }
  /** Events among a larger set; `rest`: normally nearly all are, and the others are rare. */
  | { kind: 'share'; of: string; among: string; rare?: 'rest' };

interface ComparisonRule {
  source: MetricSource;
  /** Minimum relevant change: relative (0.05 is 5 %), for a share absolute (0.001 is 0.1 percentage points). */
  margin: number;
  /** Rank among the metrics that can fail a comparison; absent: informational. */
  decides?: number;
  isOfStreams?: boolean;
  isOfTotals?: boolean;
  isOfAttributedCalls?: boolean;
}

/**
 * A margin below about twice the noise between runs would need too many runs, so margins are wider further in the tail.
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

/** Compares a percentile, or the mean, of a series. */
export function compareStatistic(series: string, statistic: string): ComparisonRule {
  const known = quantiles[statistic];
  if (known === undefined) return { source: { kind: 'mean', series }, margin: meanMargin };
  const { quantile, margin } = known;
  return { source: { kind: 'quantile', series, quantile }, margin };
}

export function compareFailures(of: string, among: string): ComparisonRule {
  return { source: { kind: 'share', of, among }, margin: failureMargin };
}

export function compareRate(of: string): ComparisonRule {
  return { source: { kind: 'rate', of }, margin: rateMargin };
}

export function compareQuotient(of: string, per: string, scale = 1): ComparisonRule {
  return { source: { kind: 'quotient', of, per, scale }, margin: meanMargin };
}

/** Parts of a result that metrics are read from; `drift` is absent during the run. */
export type Published = Omit<FigureSections, 'spending' | 'transport' | 'history'> & {
  validity: Validity;
  scenario: { plan: Pick<Plan, 'sessions' | 'durationMs' | 'warmUpMs'> };
  drift?: Drift;
};

/** `cost`: in the currency of the run; `perHour`: a change per hour, as a share; `verdict`: invalid 0, degraded 1, valid 2. */
export const metricUnits = ['ms', 'share', 'perSecond', 'ratio', 'count', 'cost', 'perHour', 'verdict'] as const;
export type MetricUnit = (typeof metricUnits)[number];

/** A value in its metric's unit, possibly Infinity, or the reason why there is none. */
export type Reading = { value: number } | { value: null; reason: string };

export interface Metric {
  name: string;
  unit: MetricUnit;
  meaning: string;
  worse: 'higher' | 'lower' | null;
  /** Series that it is read from; none: it is read from counts. */
  series?: readonly SeriesName[];
  /** Minimum number of values to be published; absent if one is enough. */
  minimum?: number;
  /** Number of values that its confidence interval needs; absent if it cannot have one. */
  intervalMinimum?: number;
  isKnownAtEnd?: boolean;
  read: (result: Published) => Reading;
  /** Returns the 95 % confidence interval of the figure; absent if it cannot have one. */
  readInterval?: (result: Published) => IntervalReading;
  /** Returns by how much the figure may exceed the true one, in its unit, or `null` if that was not measured; absent for counts. */
  readError?: (result: Published) => number | null;
  /** Returns the interval of the polls at which its values end; `undefined`: they are not polled. */
  readResolution?: (result: Published) => number | undefined;
  comparison?: ComparisonRule;
  drift?: DriftReading;
  /**
   * Reads the metric as a part of a whole; absent if that is impossible, or if the metric is only known when the run
   * has ended.
   */
  part?: MetricPart;
}

/** An interval in its metric's unit, with the upper end Infinity if it falls among failed turns; or the reason why there is none. */
export type IntervalReading = { low: number; high: number } | { low: null; reason: string };
