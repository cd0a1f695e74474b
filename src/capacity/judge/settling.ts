import { groupMeans, settlingPoint } from '../../statistics/settling-point.ts';
import type { Beat } from '../beat.ts';

/** From when on a step is steady. */
export interface Settling {
  /** The first beat that is judged; never in the second half. */
  from: number;
  /** Where the second half still differs from the first: whether latency rises or falls; `null`: it has settled. */
  trend: 'rises' | 'falls' | null;
}

/** Grouped, so that the noise of single seconds is not taken for a start. */
const mostGroup = 5;
const leastGroups = 20;

/** By less than this part nothing rises or falls: sessions that never think are all in flight all the time. */
const leastTrend = 0.02;

/** Finds it by the latency of turns and by how many are in flight: the later of both. */
export function findSettling(beats: readonly Beat[]): Settling {
  const size = Math.max(1, Math.min(mostGroup, Math.floor(beats.length / leastGroups)));
  const found = [latenciesOf(beats), beats.map(({ turnsInFlight }) => turnsInFlight)].map((values) => {
    const groups = groupMeans(values, size);
    return { groups, at: settlingPoint(groups) };
  });
  const latest = found.reduce((a, b) => (b.at > a.at ? b : a));
  const half = Math.floor(beats.length / 2);
  const fromOf = (at: number): number => Math.min(half, at * size + (at > 0 ? beats.length % size : 0));
  if (latest.at <= latest.groups.length / 2) return { from: fromOf(latest.at), trend: null };
  const [before, after] = [meanOf(latest.groups.slice(0, latest.at)), meanOf(latest.groups.slice(latest.at))];
  if (Math.abs(after - before) >= leastTrend * before) return { from: half, trend: after > before ? 'rises' : 'falls' };
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
