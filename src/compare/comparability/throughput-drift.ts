import type { Interval } from '../../result/sections/intervals.ts';
import type { Result } from '../../result/result.ts';
import { tQuantile } from '../../statistics/student-t.ts';
import { mean, scatter } from '../../statistics/mean.ts';
import { measuredWindow } from '../figures/measured-window.ts';
import { sumOf } from '../../statistics/sum-of.ts';

/** Batches in a third of a run: as many as there are intervals for, since neighbouring intervals resemble each other. */
const mostInThird = 10;
const leastInThird = 3;
const intervalsInBatch = 4;
/** Three standard errors under a normal distribution: one false report in 370 runs. */
const confidence = 0.99865;
/** A drift below the margin of throughput explains no change beyond it. */
const leastChange = 0.03;

/**
 * By how much the throughput of a run changed from its first third to its last, as a share; `null` where that is within
 * its noise or below 3 %, and for runs by a number of sessions, which start and end with fewer at a time by nature.
 */
export function driftOf(result: Result): number | null {
  const window = measuredWindow(result);
  const inThird = Math.min(mostInThird, Math.max(leastInThird, Math.floor(window.length / intervalsInBatch / 3)));
  if (result.scenario.plan.sessions !== null || window.length < 3 * inThird) return null;
  const rates = ratesOf(window, 3 * inThird);
  const [first, last] = [rates.slice(0, inThird), rates.slice(-inThird)];
  const change = mean(last) - mean(first);
  const degrees = 2 * (inThird - 1);
  const error = Math.sqrt(((scatter(first) + scatter(last)) / degrees) * (2 / inThird));
  // Of few batches the quantile of t says what three standard errors are.
  if (Math.abs(change) <= tQuantile(confidence, degrees) * error) return null;
  return Math.abs(change) < leastChange * mean(first) ? null : change / mean(first);
}

/** Finished turns a millisecond, by batches of about equal length. */
const ratesOf = (window: readonly Interval[], batches: number): number[] =>
  Array.from({ length: batches }, (_, batch) => {
    const edgeOf = (each: number): number => Math.round((each * window.length) / batches);
    const part = window.slice(edgeOf(batch), edgeOf(batch + 1));
    return sumOf(part.map(({ turns }) => turns.ok + turns.failed)) / sumOf(part.map(({ lengthMs }) => lengthMs));
  });
