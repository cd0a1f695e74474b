import { expect, test } from 'vitest';
import { driftingIntervals, steadyPlan } from '../../../test/support/drifting-run.ts';
import { ms } from '../../base/time.ts';
import { steadyWindow } from './drift-window.ts';

const level = { value: 0, mean: 0, max: 0 };
const intervals = driftingIntervals({ seed: 1, memory: 0, intervals: 20, intervalMs: 1000, turnsPerInterval: 2 });
const startsOf = (window: readonly { startMs: number }[]) => window.map(({ startMs }) => startMs / 1000);
const withLive = (live: readonly number[]) =>
  intervals.slice(0, live.length).map((interval, at) => ({
    ...interval,
    concurrency: { sessions: { ...level, mean: live[at] ?? 0 }, turns: level },
  }));

test('the warm-up and the time after the duration are omitted', () => {
  const warm = intervals.map((interval, at) => ({ ...interval, warmUp: at < 3 }));
  expect(startsOf(steadyWindow(warm, { ...steadyPlan, durationMs: 6000 }))).toEqual([3, 4, 5]);
});

test('the end of a run, with fewer and fewer live sessions, is omitted', () => {
  expect(startsOf(steadyWindow(withLive([10, 10, 7, 10, 10, 9.5, 6, 2]), steadyPlan))).toEqual([0, 1, 2, 3, 4, 5]);
});

test('for a load in stages the longest level is examined, ramps never', () => {
  const segment = (startMs: number, endMs: number | null, [from, to]: readonly [number, number]) => ({
    startMs: ms(startMs),
    endMs: endMs === null ? null : ms(endMs),
    from,
    to,
  });
  const load = (...segments: ReturnType<typeof segment>[]) => ({
    ...steadyPlan,
    load: { model: 'closed' as const, maxTurnsInFlight: null, segments },
  });
  const staged = load(
    segment(0, 2000, [0, 5]),
    segment(2000, 5000, [5, 5]),
    segment(5000, 6000, [5, 9]),
    segment(6000, null, [9, 9]),
  );
  expect(startsOf(steadyWindow(intervals, staged))[0]).toBe(6);
  expect(startsOf(steadyWindow(intervals.slice(0, 8), staged))).toEqual([2, 3, 4]);
  expect(steadyWindow(intervals, load(segment(0, null, [0, 5])))).toEqual([]);
});
