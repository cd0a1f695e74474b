import { dickeyFuller, relaxationOf } from '../../statistics/dickey-fuller.ts';
import { mean, scatter } from '../../statistics/mean.ts';
import { groupMeans } from '../../statistics/settling-point.ts';
import type { Beat } from '../beat.ts';

/** How long a queue remembers, and how often it has forgotten in a window. */
export interface Steadiness {
  /** In stretches; 0: neighbours say nothing of each other. */
  relaxation: number;
  /** The length of the window in relaxation times, by the test of Dickey and Fuller; Infinity: it hardly varies. */
  times: number;
}

/** Sessions in closed load that do not think are all in flight, all the time. */
const leastVariation = 0.03;
/** Fewer groups than this are no series any more. */
const leastGroups = 32;
const leastValues = 10;

/**
 * By turns in flight. Single stretches are noisy, which hides a slow wave behind it: groups of 1, 2, 4, ... are looked
 * at, and the slowest counts.
 */
export function steadinessOf(stretches: readonly Beat[]): Steadiness {
  const levels = stretches.map(({ turnsInFlight }) => turnsInFlight);
  if (levels.length >= leastValues && hardlyVaries(levels)) return { relaxation: 0, times: Infinity };
  let { relaxation, times } = { relaxation: 0, times: Infinity };
  for (let size = 1; size === 1 || levels.length / size >= leastGroups; size *= 2) {
    const reversion = dickeyFuller(groupMeans(levels, size));
    if (reversion === null) return { relaxation: Infinity, times: 0 };
    times = Math.min(times, reversion.statistic);
    relaxation = Math.max(relaxation, size * relaxationOf(reversion));
  }
  return { relaxation, times };
}

const hardlyVaries = (levels: readonly number[]): boolean =>
  scatter(levels) <= levels.length * (leastVariation * mean(levels)) ** 2;
