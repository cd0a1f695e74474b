import type { DriftUnit, DriftSeries, FollowedPlan } from '../metrics/drift-series.ts';
import type { Gate } from '../gates/gates.ts';
import type { SeriesDrift } from '../sections/drift.ts';

/** Scale on which a series is followed, and its inverse. */
interface LevelScale {
  /** Returns `undefined` for a value outside the scale. */
  of: (value: number) => number | undefined;
  valueOf: (level: number) => number;
  changeOf: (shift: number, from: number) => number;
}

/** Maximum change: an hourly change estimated from five minutes of noise can have an infinite interval, which JSON cannot express. */
const max = 1e6;
const bounded = (change: number): number => Math.min(max, Math.max(-max, change));

/** Logarithmic scale: its slope is a compound rate, and proportional noise is equally wide everywhere. */
const relative: LevelScale = {
  of: (value) => (value > 0 ? Math.log(value) : undefined),
  valueOf: (level) => Math.exp(level),
  changeOf: (shift) => bounded(Math.expm1(shift)),
};

/** Linear scale: leaks grow by bytes, which would not be a straight line on a logarithmic scale. */
const linear: LevelScale = {
  of: (value) => value,
  valueOf: (level) => level,
  changeOf: (shift, from) => bounded(shift / Math.max(from, 1)),
};

const absolute: LevelScale = { of: (value) => value, valueOf: (level) => level, changeOf: (shift) => shift };

export const levelScales: Readonly<Record<DriftUnit, LevelScale>> = {
  ms: relative,
  perSecond: relative,
  cost: relative,
  share: absolute,
  bytes: linear,
};

export interface Limit {
  value: number;
  side: 'above' | 'below';
  from: string;
}

/** Returns the limits of a series in the plan: gates on the same figure and, for a latency, the objective. */
export function driftLimits(
  { name }: Pick<DriftSeries, 'name'>,
  gates: readonly Gate[],
  { objectiveMs, objectiveFirstTokenMs }: Pick<FollowedPlan, 'objectiveMs' | 'objectiveFirstTokenMs'>,
): Limit[] {
  const names = [name, name.replace(/^(turn|firstToken)\./, '$1.ok.')];
  const objectives: Readonly<Record<string, number | null>> = { turn: objectiveMs, firstToken: objectiveFirstTokenMs };
  const objective = objectives[name.replace(/\..*/, '')] ?? null;
  const byGates = gates.flatMap(({ metric, condition, operator, limit }): Limit[] =>
    names.includes(metric.name)
      ? [{ value: limit, side: operator.startsWith('<') ? 'above' : 'below', from: `gate ${metric.name} ${condition}` }]
      : [],
  );
  return objective === null ? byGates : [{ value: objective, side: 'above', from: 'objective' }, ...byGates];
}

/** Maximum horizon of a forecast from the slope of a run: a hundred days. */
const furthestHours = 2400;

/** Returns the first limit that the line crosses, if any: `level` at the end of the measured part, `slope` per hour. */
export function findCrossing(
  { level, slope }: { level: number; slope: number },
  limits: readonly Limit[],
  unit: DriftSeries['unit'],
): SeriesDrift['crossing'] {
  const scale = levelScales[unit];
  const crossings = limits.flatMap(({ value, side, from }) => {
    const limit = scale.of(value);
    if (limit === undefined || slope > 0 !== (side === 'above')) return [];
    const hours = (limit - level) / slope;
    return hours > 0 && hours < furthestHours ? [{ limit: value, from, inMs: hours * hourMs }] : [];
  });
  return crossings.toSorted((a, b) => a.inMs - b.inMs)[0] ?? null;
}

export const hourMs = 3_600_000;
