import { groupMeans } from '../../statistics/settling-point.ts';
import type { Beat } from '../beat.ts';

/** Standard errors of a walk without a direction by which a queue has to have grown. */
const beyond = 4.5;
/** Turns in flight grow by this factor at least. */
const leastGrowth = 1.5;
/** Of that growth, how much more ends: where a load is still building up, what ends grows as well. */
const mostFollowed = 0.2;
const leastGroups = 12;
const mostGroups = 24;

/**
 * Whether more comes than is served: turns in flight grow, faster than any random walk without a direction, and no more
 * turns end for it. A queue at 95 % of its service wanders as far as such a walk at the most.
 */
export function isSaturated(beats: readonly Beat[]): boolean {
  const size = Math.max(1, Math.floor(beats.length / mostGroups));
  // The start, when sessions come one by one, grows in any case.
  const groups = groupMeans(
    beats.map(({ turnsInFlight }) => turnsInFlight),
    size,
  );
  const kept = groups.slice(Math.floor(groups.length / 4));
  if (kept.length < leastGroups) return false;
  const [first, last] = [kept[0] ?? 0, kept.at(-1) ?? 0];
  if (last < Math.max(first, 1) * leastGrowth) return false;
  if (growthOfEnded(beats) > mostFollowed * (last / Math.max(first, 1) - 1)) return false;
  return last - first > beyond * walkError(kept);
}

/** How far a walk with these steps gets. Means of neighbours hide a third of its variance. */
function walkError(values: readonly number[]): number {
  const steps = values.slice(1).map((value, at) => value - (values[at] ?? 0));
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
  const squares = steps.reduce((sum, step) => sum + (step - mean) ** 2, 0);
  return Math.sqrt((1.5 * squares * steps.length) / (steps.length - 1));
}

/** Of turns that ended a second, from the first third of what is looked at to the last. */
function growthOfEnded(beats: readonly Beat[]): number {
  const kept = beats.slice(Math.floor(beats.length / 4));
  const third = Math.floor(kept.length / 3);
  const turnsIn = (part: readonly Beat[]): number => part.reduce((sum, { turns }) => sum + turns, 0);
  const before = turnsIn(kept.slice(0, third));
  return before === 0 ? Infinity : turnsIn(kept.slice(-third)) / before - 1;
}
