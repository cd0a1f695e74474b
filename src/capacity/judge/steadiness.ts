import { groupMeans, settlingPoint, dickeyFuller } from '../../statistics/change-points.ts';
import type { Beat } from '../player.ts';
import { mean, scatter } from '../../statistics/averages.ts';
import { ratioError } from '../../statistics/batch-error.ts';

/** From when on a step is steady. */
export interface Settling {
  /** The first beat that is judged; never in the second half. */
  from: number;
  /** Where the second half still differs from the first: whether latency rises or falls; `null`: it has settled. */
  trend: 'rises' | 'falls' | null;
}

/** Grouped, so that the noise of single seconds is not taken for a start. */
const maxGroup = 5;
const minSettlingGroups = 20;

/** By less than this part nothing rises or falls: sessions that never think are all in flight all the time. */
const minTrend = 0.02;

/** Finds it by the latency of turns and by how many are in flight: the later of both. */
export function findSettling(beats: readonly Beat[]): Settling {
  const size = Math.max(1, Math.min(maxGroup, Math.floor(beats.length / minSettlingGroups)));
  const found = [latenciesOf(beats), beats.map(({ turnsInFlight }) => turnsInFlight)].map((values) => {
    const groups = groupMeans(values, size);
    return { groups, at: settlingPoint(groups) };
  });
  const latest = found.reduce((a, b) => (b.at > a.at ? b : a));
  const half = Math.floor(beats.length / 2);
  const fromOf = (at: number): number => Math.min(half, at * size + (at > 0 ? beats.length % size : 0));
  if (latest.at <= latest.groups.length / 2) return { from: fromOf(latest.at), trend: null };
  const [before, after] = [meanOf(latest.groups.slice(0, latest.at)), meanOf(latest.groups.slice(latest.at))];
  if (Math.abs(after - before) >= minTrend * before) return { from: half, trend: after > before ? 'rises' : 'falls' };
  return {
    from: Math.max(...found.map(({ groups }) => fromOf(settlingPoint(groups, Math.floor(groups.length / 2))))),
    trend: null,
  };
}

/** A beat in which no turn ended says nothing new. */
function latenciesOf(beats: readonly Beat[]): number[] {
  let last = beats.find(({ turnMeanMs }) => turnMeanMs !== null)?.turnMeanMs ?? 0;
  return beats.map(({ turnMeanMs }) => (last = turnMeanMs ?? last));
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How a queue remembers: by turns in flight. */
interface Steadiness {
  /** The length of the window in relaxation times, by the test of Dickey and Fuller; Infinity: it hardly varies. */
  times: number;
  /** The groups of the coarsest look: what forgets at once shows this many relaxation times there, more or less. */
  groups: number;
  /** Of neighbouring batches: a queue that wanders slowly shows before any turn is too slow. */
  correlation: number;
}

/** Sessions in closed load that do not think are all in flight, all the time. */
const minVariation = 0.03;
/** Fewer groups than this are no series any more. */
const minSeriesGroups = 32;
const minValues = 10;

/** What hardly varies has nothing to remember. */
export function steadinessOf(stretches: readonly Beat[], minBatches: number): Steadiness {
  const levels = stretches.map(({ turnsInFlight }) => turnsInFlight);
  if (levels.length >= minValues && hardlyVaries(levels))
    return { times: Infinity, groups: levels.length, correlation: 0 };
  const parts = stretches.map(({ turnsInFlight, lengthMs }) => ({ part: turnsInFlight * lengthMs, whole: lengthMs }));
  return { ...relaxationTimes(levels), correlation: ratioError(parts, minBatches)?.correlation ?? 0 };
}

/** Single stretches are noisy, which hides a slow wave behind it: groups of 1, 2, 4, ... are looked at, and the slowest counts. */
function relaxationTimes(levels: readonly number[]): Pick<Steadiness, 'times' | 'groups'> {
  let [times, groups] = [Infinity, levels.length];
  for (let size = 1; size === 1 || levels.length / size >= minSeriesGroups; size *= 2) {
    const reversion = dickeyFuller(groupMeans(levels, size));
    groups = Math.floor(levels.length / size);
    if (reversion === null) return { times: 0, groups };
    times = Math.min(times, reversion.statistic);
  }
  return { times, groups };
}

const hardlyVaries = (levels: readonly number[]): boolean =>
  scatter(levels) <= levels.length * (minVariation * mean(levels)) ** 2;

/** Standard errors of a walk without a direction by which a queue has to have grown. */
const beyond = 4.5;
/** Turns in flight grow by this factor at least. */
const minGrowth = 1.5;
/** Of that growth, how much more ends: where a load is still building up, what ends grows as well. */
const maxFollowed = 0.2;
const minQueueGroups = 12;
const maxGroups = 24;

/**
 * Whether more comes than is served: turns in flight grow, faster than any random walk without a direction, and no more
 * turns end for it. A queue at 95 % of its service wanders as far as such a walk at the most.
 */
export function isSaturated(beats: readonly Beat[]): boolean {
  const size = Math.max(1, Math.floor(beats.length / maxGroups));
  // The start, when sessions come one by one, grows in any case.
  const groups = groupMeans(
    beats.map(({ turnsInFlight }) => turnsInFlight),
    size,
  );
  const kept = groups.slice(Math.floor(groups.length / 4));
  if (kept.length < minQueueGroups) return false;
  const [first, last] = [kept[0] ?? 0, kept.at(-1) ?? 0];
  if (last < Math.max(first, 1) * minGrowth) return false;
  if (growthOfEnded(beats) > maxFollowed * (last / Math.max(first, 1) - 1)) return false;
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
