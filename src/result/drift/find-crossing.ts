import type { Gate } from '../gates/gates.ts';
import type { SeriesDrift } from '../sections/drift.ts';
import type { DriftSeries, FollowedPlan } from '../metrics/drift-series.ts';
import { levelScaleOf } from './level-scale.ts';

/** What a series should stay below or above. */
export interface Limit {
  value: number;
  side: 'above' | 'below';
  from: string;
}

/** The limits that a plan sets a series: its gates on the same figure, and for a latency its objective. */
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

/** The longest useful forecast from the slope of a run: a hundred days. */
const furthestHours = 2400;

/** The first limit that a line crosses, if it does: `level` at the end of what was measured, `slope` an hour. */
export function findCrossing(
  { level, slope }: { level: number; slope: number },
  limits: readonly Limit[],
  unit: DriftSeries['unit'],
): SeriesDrift['crossing'] {
  const scale = levelScaleOf(unit);
  const crossings = limits.flatMap(({ value, side, from }) => {
    const limit = scale.of(value);
    if (limit === undefined || slope > 0 !== (side === 'above')) return [];
    const hours = (limit - level) / slope;
    return hours > 0 && hours < furthestHours ? [{ limit: value, from, inMs: hours * hourMs }] : [];
  });
  return crossings.toSorted((a, b) => a.inMs - b.inMs)[0] ?? null;
}

export const hourMs = 3_600_000;
