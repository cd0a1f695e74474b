import { mean } from '../../result/mean.ts';
import type { MetricRule } from '../metric-rule.ts';
import type { RunFigure } from '../figures/run-figure.ts';
import { scaleOf } from '../statistics/scale.ts';
import type { Night } from './night.ts';
import { findChangePoints, type ChangePoint } from './scan.ts';

/** A metric's point of a night. */
export interface NightPoint {
  /** Which of the nights, from 0. */
  night: number;
  /** The mean over the runs, on the scale of comparison. */
  level: number;
  /** The same in the metric's unit. */
  value: number;
  /** One a run that has the figure. */
  runLevels: readonly number[];
}

/** Points between two change points. */
export interface Segment {
  /** Its first night. */
  night: number;
  points: readonly NightPoint[];
  /** Their mean, in the metric's unit. */
  value: number;
}

/** A change point between two segments. */
export interface Step extends ChangePoint {
  before: Segment;
  after: Segment;
}

export interface MetricTrend {
  rule: MetricRule;
  points: readonly NightPoint[];
  /** At least one where there are points. */
  segments: readonly Segment[];
  steps: readonly Step[];
}

/** What became of a metric over the nights; steps of a p up to `alpha`. */
export function trackMetric(nights: readonly Night[], rule: MetricRule, { alpha }: { alpha: number }): MetricTrend {
  const points = nights.flatMap((night, index) => pointOf(night, index, rule));
  const levels = points.map(({ level }) => level);
  const changes = findChangePoints(levels, { alpha, margin: rule.margin, scale: scaleOf(rule) });
  const segments = segmentsOf(points, changes, rule);
  const steps = changes.flatMap((change, at) => {
    const [before, after] = [segments[at], segments[at + 1]];
    return before === undefined || after === undefined ? [] : [{ ...change, before, after }];
  });
  return { rule, points, segments, steps };
}

function pointOf({ runs }: Night, night: number, rule: MetricRule): readonly NightPoint[] {
  const figures = runs.flatMap(({ figures }) => usable(figures.get(rule.name)));
  if (figures.length === 0) return [];
  const runLevels = figures.map(({ level }) => level);
  const values = figures.map(({ value }) => value);
  return [{ night, level: mean(runLevels), value: meanValue(values, rule), runLevels }];
}

/** The logarithm of a rate of zero is no level. */
const usable = (reading: ReturnType<Night['runs'][0]['figures']['get']>): RunFigure[] =>
  reading !== undefined && 'figure' in reading && Number.isFinite(reading.figure.level) ? [reading.figure] : [];

function segmentsOf(points: readonly NightPoint[], changes: readonly ChangePoint[], rule: MetricRule): Segment[] {
  const starts = [0, ...changes.map(({ index }) => index)];
  return starts.flatMap((from, at) => {
    const segment = points.slice(from, starts[at + 1]);
    const [first] = segment;
    const values = segment.map(({ value }) => value);
    return first === undefined ? [] : [{ night: first.night, points: segment, value: meanValue(values, rule) }];
  });
}

/** What is compared as a ratio is averaged as one. */
const meanValue = (values: readonly number[], { source }: MetricRule): number =>
  source.kind === 'share' ? mean(values) : Math.exp(mean(values.map(Math.log)));
