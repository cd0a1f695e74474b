import { tQuantile } from '../../statistics/student-t.ts';
import type { ShiftPoint } from '../document/comparison.ts';
import { estimateChange, type ChangeEstimate } from '../statistics/estimate-change.ts';
import type { KnownNoise } from '../statistics/prior.ts';
import type { Observed } from '../document/run-figure.ts';

/** How far a latency moved from base to head; the interval exists where the runs show their noise. */
export function shiftPoint(
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
