import { groupMeans, settlingPoint, dickeyFuller } from '../../../statistics/change-points.ts';
import type { Beat } from './player.ts';
import { mean, scatter, sumBy } from '../../../statistics/averages.ts';
import { ratioError } from '../../../statistics/batch-error.ts';

/** Start of the steady part of a step. */
export interface Settling {
  /** First judged interval; never in the second half. */
  from: number;
  /** Trend of latency if the second half still differs from the first; `null`: steady. */
  trend: 'rises' | 'falls' | null;
}

/** Intervals are grouped, so that the noise of single seconds is not mistaken for a start. */
const maxGroup = 5;
const minSettlingGroups = 20;

/** Minimum relative change of a trend: without think time, all sessions are always in flight. */
const minTrend = 0.02;

/** Finds the later of two settling points: by turn latency and by turns in flight. */
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
  const [before, after] = [mean(latest.groups.slice(0, latest.at)), mean(latest.groups.slice(latest.at))];
  if (Math.abs(after - before) >= minTrend * before) return { from: half, trend: after > before ? 'rises' : 'falls' };
  return {
    from: Math.max(...found.map(({ groups }) => fromOf(settlingPoint(groups, Math.floor(groups.length / 2))))),
    trend: null,
  };
}

/** An interval in which no turn ended repeats the previous value. */
function latenciesOf(beats: readonly Beat[]): number[] {
  let last = beats.find(({ turnMeanMs }) => turnMeanMs !== null)?.turnMeanMs ?? 0;
  return beats.map(({ turnMeanMs }) => (last = turnMeanMs ?? last));
}

interface Steadiness {
  /** Length of the window in relaxation times, by the Dickey-Fuller test; Infinity: it hardly varies. */
  times: number;
  /** Number of groups at the coarsest level: a queue without memory shows about this many relaxation times there. */
  groups: number;
  /** Correlation of neighbouring batches: a slowly wandering queue shows before any turn is too slow. */
  correlation: number;
}

/** Minimum relative variation: in closed load without think time, all sessions are always in flight. */
const minVariation = 0.03;
const minSeriesGroups = 32;
const minValues = 10;

/** Measures how steady a queue is; a queue that hardly varies has no memory. */
export function steadinessOf(stretches: readonly Beat[], minBatches: number): Steadiness {
  const levels = stretches.map(({ turnsInFlight }) => turnsInFlight);
  if (levels.length >= minValues && hardlyVaries(levels))
    return { times: Infinity, groups: levels.length, correlation: 0 };
  const parts = stretches.map(({ turnsInFlight, lengthMs }) => ({ part: turnsInFlight * lengthMs, whole: lengthMs }));
  return { ...relaxationTimes(levels), correlation: ratioError(parts, minBatches)?.correlation ?? 0 };
}

/** Single intervals are noisy, which hides a slow wave: groups of 1, 2, 4, ... are examined, and the slowest counts. */
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

/** Growth that a queue must exceed, in standard errors of a random walk without drift. */
const beyond = 4.5;
const minGrowth = 1.5;
/** Maximum growth of ended turns relative to that growth: while a load is building up, ended turns grow as well. */
const maxFollowed = 0.2;
const minQueueGroups = 12;
const maxGroups = 24;

/**
 * Reports whether more turns arrive than are served: turns in flight grow faster than any random walk without drift, and
 * the number of ended turns does not follow. A queue at 95 % utilization wanders at most as far as such a walk.
 */
export function isSaturated(beats: readonly Beat[]): boolean {
  const size = Math.max(1, Math.floor(beats.length / maxGroups));
  // At the start, sessions arrive one by one, so turns in flight grow in any case.
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

/**
 * Returns the standard error of a random walk with these steps. Means of adjacent values hide a third of its variance.
 */
function walkError(values: readonly number[]): number {
  const steps = values.slice(1).map((value, at) => value - (values[at] ?? 0));
  return Math.sqrt((1.5 * scatter(steps) * steps.length) / (steps.length - 1));
}

function growthOfEnded(beats: readonly Beat[]): number {
  const kept = beats.slice(Math.floor(beats.length / 4));
  const third = Math.floor(kept.length / 3);
  const turnsIn = (part: readonly Beat[]): number => sumBy(part, ({ turns }) => turns);
  const before = turnsIn(kept.slice(0, third));
  return before === 0 ? Infinity : turnsIn(kept.slice(-third)) / before - 1;
}
