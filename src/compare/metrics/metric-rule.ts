import type { MetricUnit } from '../../result/metrics/metric.ts';

/** How a figure is made from the intervals of a run. */
export type MetricSource =
  | { kind: 'quantile'; series: string; quantile: number }
  | { kind: 'mean'; series: string }
  /** Events a second. */
  | { kind: 'rate'; of: string }
  /** Events an event of another kind, one each at least: what comes on top is what is rare. */
  | { kind: 'ratio'; of: string; per: string }
  /** Events among those that they are part of; `rest`: where things go well nearly all are, and the others are rare. */
  | { kind: 'share'; of: string; among: string; rare?: 'rest' };

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
}
