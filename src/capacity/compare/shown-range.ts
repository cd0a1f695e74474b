import type { Capacity } from '../document/capacity.ts';
import type { CapacityRange } from './capacity-comparison.ts';

/** One step alone may be luck. */
const leastSteps = 2;

/** What a search shows: an end counts when two steps show it, however the search came out. */
export function shownRange({ holds, broken }: Pick<Capacity, 'holds' | 'broken'>): CapacityRange {
  const shown = (end: { load: number; steps: readonly number[] } | null): number | null =>
    end !== null && end.steps.length >= leastSteps ? end.load : null;
  return { holds: shown(holds), broken: shown(broken) };
}

/**
 * The range that holds those of all searches of a release: they differ by more than their steps say, since sittings do,
 * and a change is only shown where all of one side lie apart from all of the other.
 */
export function wholeRange(ranges: readonly CapacityRange[]): CapacityRange {
  return {
    holds: extremeOf(
      ranges.map(({ holds }) => holds),
      Math.min,
    ),
    broken: extremeOf(
      ranges.map(({ broken }) => broken),
      Math.max,
    ),
  };
}

/** What is open in one is open in all. */
function extremeOf(loads: readonly (number | null)[], choose: (...loads: number[]) => number): number | null {
  const known = loads.filter((load) => load !== null);
  return known.length < loads.length || known.length === 0 ? null : choose(...known);
}
