import { maxTurnNumber } from '../../plan/distributions.ts';
import { positions, positionText } from '../../record/positions.ts';
import { failedClassNames, type FailedClass } from '../../protocol/outcome.ts';
import type { ShiftPoint, Localization } from '../document/comparison.ts';
import type { HistoryGroup } from '../document/history.ts';
import { observe, type OpenedRun, type OpenedSides, type OpenRun } from '../figures/open-run.ts';
import { readFigure } from '../figures/read-figure.ts';
import { withError } from '../figures/trusted-figure.ts';
import type { RunReading, Observed } from '../document/side.ts';
import {
  type Assumption,
  estimateChange,
  type ChangeEstimate,
  type KnownNoise,
} from '../statistics/estimate-change.ts';
import { scaleOf } from '../metrics/metric-rules.ts';
import { shapeOf, type ShiftedQuantile } from './shape-of.ts';
import { sumOf } from '../../statistics/averages.ts';
import type { RunPart } from '../figures/run-part.ts';
import { tQuantile } from '../../statistics/student-t.ts';

export interface Past {
  history: HistoryGroup | undefined;
  assumedNoise: number;
  assumedDegrees: number;
}

export function buildLocalization(sides: OpenedSides, past: Past): Localization {
  const quantiles = shiftByQuantile(sides, past);
  const positions = shiftByPosition(sides, past);
  return {
    ...shapeOf(
      quantiles.filter(({ change }) => change !== null),
      positions,
    ),
    quantiles: quantiles.map(({ name, base, head, change, ci95 }) => ({ name, base, head, change, ci95 })),
    deciles: shiftOverTime(sides, past),
    positions,
    errors: errorsByClass(sides),
  };
}

const quantilesShown = [
  { name: 'p5', quantile: 0.05, margin: 0.05 },
  { name: 'p10', quantile: 0.1, margin: 0.05 },
  { name: 'p25', quantile: 0.25, margin: 0.05 },
  { name: 'p50', quantile: 0.5, margin: 0.05 },
  { name: 'p75', quantile: 0.75, margin: 0.05 },
  { name: 'p90', quantile: 0.9, margin: 0.05 },
  { name: 'p95', quantile: 0.95, margin: 0.07 },
  { name: 'p99', quantile: 0.99, margin: 0.1 },
  { name: 'p99.9', quantile: 0.999, margin: 0.2 },
];

const shiftByQuantile = (sides: OpenedSides, past: Past): ShiftedQuantile[] =>
  quantilesShown.map(({ name, quantile, margin }) => {
    const source = { kind: 'quantile', series: 'turn.ok', quantile } as const;
    // Lower quantiles have no error of their own; that of the median is theirs.
    const rule = { name: `turn.ok.${quantile < 0.5 ? 'p50' : name}`, unit: 'ms', margin } as const;
    const read = ({ open, result }: OpenedRun): RunReading =>
      withError(readFigure(open.window, { source }), rule, result);
    const history = past.history?.metrics[`turn.ok.${name}`];
    const point = shiftPoint(name, observedIn(sides, read), { history, assumed: assumedOf(past) });
    return { ...point, quantile, margin };
  });

const assumedOf = ({ assumedNoise: relative, assumedDegrees: degrees }: Past): Assumption => ({
  relative,
  degrees,
  scale: scaleOf({ source: { kind: 'mean', series: 'turn.ok' } }),
});

function shiftByPosition(sides: OpenedSides, past: Past): ShiftPoint[] {
  const longest = Math.max(...[...sides.base, ...sides.head].map(({ result }) => maxTurnNumber(result.scenario.plan)));
  return positions.flatMap((position) => {
    const source = { kind: 'quantile', series: `position.${position}.ok`, quantile: 0.5 } as const;
    const point = shiftPoint(
      `turn ${positionText(position, longest)}`,
      observedIn(sides, ({ open }) => readFigure(open.whole, { source })),
      { assumed: assumedOf(past) },
    );
    return point.base === null && point.head === null ? [] : [point];
  });
}

/** Returns the shift by tenths of the measured time; empty if a run has too few intervals. */
function shiftOverTime(sides: OpenedSides, past: Past): ShiftPoint[] {
  const means = new Map([...sides.base, ...sides.head].map((run) => [run, meanByTenths(run.open.window)]));
  if ([...means.values()].some((each) => each === null)) return [];
  return tenths.map((name, tenth) =>
    shiftPoint(
      name,
      observedIn(sides, (run) => means.get(run)?.[tenth] ?? { missing: 'no_data', detail: 'no values' }),
      { assumed: assumedOf(past) },
    ),
  );
}

const observedIn = ({ base, head }: OpenedSides, read: (run: OpenedRun) => RunReading) => ({
  base: observe(base, read).observed,
  head: observe(head, read).observed,
});

function errorsByClass({ base, head }: OpenedSides): Localization['errors'] {
  const countOf = (runs: readonly OpenedRun[], name: FailedClass): number =>
    sumOf(runs.map(({ result }) => result.outcomes.attempts[name]));
  return failedClassNames
    .map((name) => ({ class: name, base: countOf(base, name), head: countOf(head, name) }))
    .filter((each) => each.base + each.head > 0)
    .map((each) => ({ ...each, isNew: each.base === 0 }));
}

/** Tenths of the measured time, by name. */
const tenths = Array.from({ length: 10 }, (_, tenth) => `${String(tenth * 10)}-${String(tenth * 10 + 10)} %`);

/** Returns the mean latency of ok turns in each tenth of the measured time; `null` with fewer intervals than tenths. */
function meanByTenths({ parts, lengthMs }: OpenRun): RunReading[] | null {
  if (parts.length < tenths.length) return null;
  const sums = tenths.map(() => ({ count: 0, sumMs: 0 }));
  let startMs = 0;
  for (const part of parts) {
    const middle = (startMs + part.lengthMs / 2) / lengthMs;
    const sum = sums[Math.min(tenths.length - 1, Math.floor(middle * tenths.length))];
    if (sum !== undefined) add(sum, part);
    startMs += part.lengthMs;
  }
  return sums.map(readingOf);
}

function add(sum: { count: number; sumMs: number }, { series }: RunPart): void {
  const { count = 0, sumMs = 0 } = series.get('turn.ok') ?? {};
  sum.count += count;
  sum.sumMs += sumMs;
}

function readingOf({ count, sumMs }: { count: number; sumMs: number }): RunReading {
  if (count === 0 || sumMs === 0) return { missing: 'no_data', detail: 'no values' };
  const value = sumMs / count;
  return { figure: { level: Math.log(value), withinVariance: null, value, count } };
}

function shiftPoint(
  name: string,
  { base, head }: Readonly<Record<'base' | 'head', readonly Observed[]>>,
  known?: KnownNoise,
): ShiftPoint {
  if (base.length === 0 || head.length === 0)
    return { name, base: meanOf(base), head: meanOf(head), change: null, ci95: null };
  const estimate = estimateChange(base, head, known);
  return {
    name,
    base: Math.exp(estimate.base),
    head: Math.exp(estimate.head),
    change: Math.expm1(estimate.shift),
    ci95: intervalOf(estimate),
  };
}

const meanOf = (runs: readonly Observed[]): number | null =>
  runs.length === 0 ? null : Math.exp(runs.reduce((sum, { figure }) => sum + figure.level, 0) / runs.length);

function intervalOf({ shift, noise }: ChangeEstimate): ShiftPoint['ci95'] {
  if ('unknown' in noise || noise.standardError === 0) return null;
  const half = tQuantile(0.975, noise.degrees) * noise.standardError;
  return { low: Math.expm1(shift - half), high: Math.expm1(shift + half) };
}
