import type { Gate } from '../gates/gates.ts';
import type { SeriesDrift } from '../sections/drift.ts';
import type { DriftSeries } from '../metrics/drift-series.ts';
import { levelScaleOf } from './level-scale.ts';

/** What a series should stay below or above. */
export interface Limit {
  value: number;
  side: 'above' | 'below';
  from: string;
}

/** The limits that a plan sets a series: its gates on the same figure, and for latency the objective of a turn. */
export function driftLimits(
  { name, subject, unit }: DriftSeries,
  gates: readonly Gate[],
  objectiveMs: number | null,
): Limit[] {
  const names = [name, name.replace(/^turn\./, 'turn.ok.')];
  const byGates = gates.flatMap(({ metric, condition, operator, limit }): Limit[] =>
    names.includes(metric.name)
      ? [{ value: limit, side: operator.startsWith('<') ? 'above' : 'below', from: `gate ${metric.name} ${condition}` }]
      : [],
  );
  const isLatency = subject === 'service' && unit === 'ms';
  return isLatency && objectiveMs !== null
    ? [{ value: objectiveMs, side: 'above', from: 'objective' }, ...byGates]
    : byGates;
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
