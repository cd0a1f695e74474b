import { mean } from '../../statistics/averages.ts';
import { type MetricRule, possibleChanges, scaleOf } from '../metrics/metric-rules.ts';
import type { RunFigure, RunReading } from '../document/side.ts';
import { alignRuns, minCount } from '../statistics/judge-family.ts';
import type { Night } from './trend-run.ts';
import { findChangePoints, type ChangePoint } from './scan.ts';

interface NightPoint {
  night: number;
  level: number;
  value: number;
  runLevels: readonly number[];
  /** Mean measurement error, as a share of the value; 0 if unknown. */
  error: number;
  /** Variance within a run, as far as runs contain it; 0 if none does. */
  withinRuns: number;
}

interface TrendSegment {
  night: number;
  points: readonly NightPoint[];
  /** Mean of the points, in the metric's unit. */
  value: number;
}

/** Runs of a night whose figure was omitted, because it is doubtful. */
interface Omission {
  night: number;
  runs: number;
  errorMs: number;
}

export interface TrendStep extends ChangePoint {
  before: TrendSegment;
  after: TrendSegment;
}

export interface MetricTrend {
  rule: MetricRule;
  points: readonly NightPoint[];
  segments: readonly TrendSegment[];
  steps: readonly TrendStep[];
  omitted: readonly Omission[];
}

export function trackMetric(nights: readonly Night[], rule: MetricRule, { alpha }: { alpha: number }): MetricTrend {
  const points = pointsOf(nights, rule);
  const levels = points.map(({ level }) => level);
  const changes = findChangePoints(levels, { alpha, margin: rule.margin, scale: scaleOf(rule) });
  const segments = segmentsOf(points, changes, rule);
  const steps = changes.flatMap((change, at) => {
    const [before, after] = [segments[at], segments[at + 1]];
    return before === undefined || after === undefined
      ? []
      : [{ ...withinBounds(widened(change, before, after), before, rule), before, after }];
  });
  return { rule, points, segments, steps, omitted: omissionsOf(nights, rule) };
}

function omissionsOf(nights: readonly Night[], { name }: MetricRule): Omission[] {
  return nights.flatMap(({ runs }, night) => {
    const errors = runs.flatMap(({ figures }) => {
      const reading = figures.get(name);
      return reading !== undefined && 'missing' in reading && reading.missing === 'doubtful'
        ? [reading.errorMs ?? 0]
        : [];
    });
    return errors.length === 0 ? [] : [{ night, runs: errors.length, errorMs: Math.max(...errors) }];
  });
}

/** Widens the interval of a step by the difference of the measurement errors before and after it: only latencies have one. */
function widened(change: ChangePoint, before: TrendSegment, after: TrendSegment): ChangePoint {
  const [from, to] = [before, after].map(({ points }) => mean(points.map(({ error }) => error)));
  const ratio = 1 + Math.abs((to ?? 0) - (from ?? 0));
  const { low, high } = change.ci95;
  return ratio === 1 ? change : { ...change, ci95: { low: (1 + low) / ratio - 1, high: (1 + high) * ratio - 1 } };
}

/** Keeps the interval of a step within the changes that its level before permits. */
function withinBounds(change: ChangePoint, before: TrendSegment, rule: MetricRule): ChangePoint {
  const possible = possibleChanges(rule, before.value);
  const { low, high } = change.ci95;
  return { ...change, ci95: { low: Math.max(possible.low, low), high: Math.min(possible.high, high) } };
}

function pointsOf(nights: readonly Night[], rule: MetricRule): NightPoint[] {
  const known = nights.map(({ runs }) => runs.flatMap(({ figures }) => usable(figures.get(rule.name))));
  const count = minCount(known.flat());
  return known.flatMap((runs, night) =>
    runs.length === 0 ? [] : [pointOf(alignRuns(rule, runs, count), night, rule)],
  );
}

function pointOf(runs: readonly KnownFigure[], night: number, rule: MetricRule): NightPoint {
  const runLevels = runs.map(({ figure }) => figure.level);
  const value = meanValue(
    runs.map(({ figure }) => figure.value),
    rule,
  );
  const withinRuns = mean(runs.map(({ figure }) => figure.withinVariance ?? 0));
  const error = mean(runs.map(({ figure }) => figure.error ?? 0));
  return { night, level: mean(runLevels), value, runLevels, error, withinRuns };
}

interface KnownFigure {
  figure: RunFigure;
}

/** A rate of zero has no logarithm and therefore no level. */
const usable = (reading: RunReading | undefined): KnownFigure[] =>
  reading !== undefined && 'figure' in reading && Number.isFinite(reading.figure.level) ? [reading] : [];

function segmentsOf(points: readonly NightPoint[], changes: readonly ChangePoint[], rule: MetricRule): TrendSegment[] {
  const starts = [0, ...changes.map(({ index }) => index)];
  return starts.flatMap((from, at) => {
    const segment = points.slice(from, starts[at + 1]);
    const [first] = segment;
    const values = segment.map(({ value }) => value);
    return first === undefined ? [] : [{ night: first.night, points: segment, value: meanValue(values, rule) }];
  });
}

/** Averages metrics on the scale of comparison, so ratios are averaged geometrically. */
const meanValue = (values: readonly number[], { source }: MetricRule): number =>
  source.kind === 'share' ? mean(values) : Math.exp(mean(values.map(Math.log)));
