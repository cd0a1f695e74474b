import { dickeyFuller } from '../../statistics/dickey-fuller.ts';
import { mean, scatter } from '../../statistics/mean.ts';
import { ratioError } from '../../statistics/ratio-error.ts';
import { groupMeans } from '../../statistics/settling-point.ts';
import type { Beat } from '../beat.ts';

/** How a queue remembers: by turns in flight. */
export interface Steadiness {
  /** The length of the window in relaxation times, by the test of Dickey and Fuller; Infinity: it hardly varies. */
  times: number;
  /** The groups of the coarsest look: what forgets at once shows this many relaxation times there, more or less. */
  groups: number;
  /** Of neighbouring batches: a queue that wanders slowly shows before any turn is too slow. */
  correlation: number;
}

/** Sessions in closed load that do not think are all in flight, all the time. */
const leastVariation = 0.03;
/** Fewer groups than this are no series any more. */
const leastGroups = 32;
const leastValues = 10;

/** What hardly varies has nothing to remember. */
export function steadinessOf(stretches: readonly Beat[], leastBatches: number): Steadiness {
  const levels = stretches.map(({ turnsInFlight }) => turnsInFlight);
  if (levels.length >= leastValues && hardlyVaries(levels))
    return { times: Infinity, groups: levels.length, correlation: 0 };
  const parts = stretches.map(({ turnsInFlight, lengthMs }) => ({ part: turnsInFlight * lengthMs, whole: lengthMs }));
  return { ...relaxationTimes(levels), correlation: ratioError(parts, leastBatches)?.correlation ?? 0 };
}

/** Single stretches are noisy, which hides a slow wave behind it: groups of 1, 2, 4, ... are looked at, and the slowest counts. */
function relaxationTimes(levels: readonly number[]): Pick<Steadiness, 'times' | 'groups'> {
  let [times, groups] = [Infinity, levels.length];
  for (let size = 1; size === 1 || levels.length / size >= leastGroups; size *= 2) {
    const reversion = dickeyFuller(groupMeans(levels, size));
    groups = Math.floor(levels.length / size);
    if (reversion === null) return { times: 0, groups };
    times = Math.min(times, reversion.statistic);
  }
  return { times, groups };
}

const hardlyVaries = (levels: readonly number[]): boolean =>
  scatter(levels) <= levels.length * (leastVariation * mean(levels)) ** 2;
