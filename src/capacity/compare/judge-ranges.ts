import type { CapacityComparison, CapacityRange } from './capacity-comparison.ts';

interface Judged {
  verdict: 'improved' | 'regressed' | 'overlapping';
  /** Bounds of head / base - 1; `null`: nothing bounds it. */
  change: NonNullable<CapacityComparison['change']>;
}

/**
 * Whether ranges lie apart. A capacity is at least its holding end and below its broken one: where the broken end of one is
 * at or under the holding end of the other, it is less.
 */
export function judgeRanges(base: CapacityRange, head: CapacityRange): Judged {
  const change = { low: changeOf(base.broken, head.holds), high: changeOf(base.holds, head.broken) };
  if (isUnder(head.broken, base.holds)) return { verdict: 'regressed', change };
  if (isUnder(base.broken, head.holds)) return { verdict: 'improved', change };
  return { verdict: 'overlapping', change };
}

const isUnder = (broken: number | null, holds: number | null): boolean =>
  broken !== null && holds !== null && broken <= holds;

const changeOf = (from: number | null, to: number | null): number | null =>
  from === null || to === null || from === 0 ? null : to / from - 1;
