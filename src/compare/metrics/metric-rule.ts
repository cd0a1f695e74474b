import type { MetricSource } from '../../result/metrics/comparison-rule.ts';
import type { MetricUnit } from '../../result/metrics/metric.ts';

/** A metric that releases are compared by. */
export interface MetricRule {
  /** As gates write it. */
  name: string;
  meaning: string;
  /** Releases are not compared by how they drift. */
  unit: Exclude<MetricUnit, 'perHour'>;
  source: MetricSource;
  /** The direction of a regression. */
  worse: 'higher' | 'lower';
  /** The least change that matters: relative (0.05 is 5 %), for a share in absolute terms (0.001 is 0.1 points). */
  margin: number;
  /** Whether it belongs to the gate family; others are informational and never fail a comparison. */
  isGated: boolean;
  /** Whether it is of the content of replies in pieces: it is gated only where all runs have them. */
  isOfStreams?: boolean;
  /** Whether it is read from the totals, since intervals do not contain it. */
  isOfTotals?: boolean;
}
