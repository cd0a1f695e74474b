import { shortestIntervalMs } from '../../record/interval-width.ts';
import type { Interval } from '../../result/sections/intervals.ts';

/** A place on the time axis of a run. */
export interface TimelineRow {
  interval: Interval;
  /** The intervals whose events are its own, and how long they took together. */
  counted: readonly Interval[];
  countedMs: number;
  /** Turns that ended in it, but were begun in the warm-up that is over by then: in no published figure. */
  warmUpTurns: number;
}

/**
 * The intervals of a run one after another. Those of the warm-up are shown as long as it goes on; of what is left of it
 * afterwards, beside the measured intervals, only the number of turns is kept.
 */
export function timelineRows(intervals: readonly Interval[]): TimelineRow[] {
  const measuredFrom = intervals.find(({ warmUp }) => !warmUp)?.startMs ?? Infinity;
  const isLeftOver = ({ warmUp, startMs }: Interval): boolean => warmUp && startMs >= measuredFrom;
  const leftOver = new Map(
    intervals.filter(isLeftOver).map(({ startMs, turns }) => [startMs, turns.ok + turns.failed] as const),
  );
  const widthMs = intervals.reduce((most, { lengthMs }) => Math.max(most, lengthMs), shortestIntervalMs);
  const shown = intervals.filter((interval) => !isLeftOver(interval));
  return shown.map((interval, index) => {
    const counted = [interval, ...sharing(interval, shown[index + 1], widthMs)];
    const countedMs = counted.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
    const warmUpTurns = interval.warmUp ? 0 : (leftOver.get(interval.startMs) ?? 0);
    return { interval, counted, countedMs, warmUpTurns };
  });
}

/**
 * The measured rest of the interval in which the warm-up ends. What the warm-up left over in that time is counted before
 * it: only both together are a rate.
 */
function sharing({ startMs, warmUp }: Interval, next: Interval | undefined, widthMs: number): Interval[] {
  return warmUp && next !== undefined && !next.warmUp && next.startMs < startMs + widthMs ? [next] : [];
}
