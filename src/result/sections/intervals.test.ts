import { describe, expect, test } from 'vitest';
import { originOf, playTurn } from '../../../test/support/session-records.ts';
import { finishedRun, snapshotOf } from '../../../test/support/synthetic-result.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { instant } from '../../base/time.ts';
import { decodeHistogram } from '../../record/histogram.ts';
import type { Observer } from '../../session/observer.ts';
import { buildIntervals } from './intervals.ts';

function tellTurn(observer: Observer, [sentAt, endedAt]: readonly [number, number]): void {
  const [session, firstSentAt] = [originOf({ startedAt: instant(sentAt) }), instant(sentAt)];
  playTurn(observer, { session, ready: firstSentAt, firstSentAt, endedAt: instant(endedAt) });
}

const intervalsOf = (warmUp: '0s' | '1s' | '1500ms', endMs: number, turns: readonly (readonly [number, number])[]) =>
  buildIntervals(
    snapshotOf(planFor({ warmUp }), endMs, (observer) => {
      for (const turn of turns) tellTurn(observer, turn);
    }),
  );

describe('published intervals', () => {
  test('follow one another without a gap, including empty ones', () => {
    const intervals = intervalsOf('0s', 3400, [
      [100, 200],
      [2100, 2600],
    ]);
    expect(intervals.map(({ startMs, lengthMs, turns }) => [startMs, lengthMs, turns.ok])).toEqual([
      [0, 1000, 1],
      [1000, 1000, 0],
      [2000, 1000, 1],
      [3000, 400, 0],
    ]);
    expect(intervals.map(({ concurrency }) => concurrency?.turns.mean)).toEqual([0.1, 0, 0.5, 0]);
  });

  test('are split at the end of the warm-up, and mark leftovers from before it', () => {
    const intervals = intervalsOf('1500ms', 4000, [
      [100, 200],
      [1400, 1450],
      [1450, 2500],
      [1600, 1700],
    ]);
    expect(
      intervals.map((each) => [each.startMs, each.lengthMs, each.warmUp, each.turns.ok, each.concurrency === null]),
    ).toEqual([
      [0, 1000, true, 1, false],
      [1000, 500, true, 1, false],
      [1500, 500, false, 1, false],
      [2000, 1000, true, 1, true],
      [2000, 1000, false, 0, false],
      [3000, 1000, false, 0, false],
    ]);
    const measured = intervals.filter((each) => !each.warmUp).reduce((sum, each) => sum + each.lengthMs, 0);
    expect(measured).toBe(2500);
  });

  test('show the load on the generator, by the interval in which a sample began', () => {
    const plan = planFor({ warmUp: '1500ms' });
    const snapshot = snapshotOf(plan, 3000, (observer) => tellTurn(observer, [1450, 2500]));
    const sample = { lengthMs: 1000, rssBytes: 80e6, heapBytes: 20e6, eventLoopDelayP99Ms: 2, cpuShare: 0.1 };
    const intervals = buildIntervals(snapshot, [
      { ...sample, startMs: 0 },
      { ...sample, startMs: 1000, rssBytes: 90e6 },
    ]);
    // Both parts of the second in which the warm-up ends have it; remaining warm-up events have no time span.
    expect(intervals.map(({ startMs, warmUp, generator }) => [startMs, warmUp, generator?.rssBytes ?? null])).toEqual([
      [0, true, 80e6],
      [1000, true, 90e6],
      [1500, false, 90e6],
      [2000, true, null],
      [2000, false, null],
    ]);
  });

  test('contain the data of a comparison: exact sums with histograms, and counts by class', () => {
    const { snapshot } = finishedRun();
    const intervals = buildIntervals(snapshot);
    for (const { turns, attempts, latency } of intervals) {
      expect(latency['turn.ok']?.count ?? 0).toBe(turns.ok);
      expect(latency['turn.failed']?.count ?? 0).toBe(turns.failed);
      expect(Object.values(attempts.byClass).reduce((sum, each) => sum + each, 0)).toBe(attempts.total);
      for (const series of Object.values(latency)) {
        const { totalCount, mean } = decodeHistogram(series.hdr);
        expect(totalCount).toBe(series.count);
        expect(Math.abs(mean / 1000 - series.sumMs / series.count)).toBeLessThan(0.001 + series.maxMs / 1000);
        expect(Number.isInteger(Math.round(series.sumMs * 1000))).toBe(true);
      }
    }
    expect(intervals.some((each) => (each.latency['turn.ok']?.count ?? 0) > 100)).toBe(true);
  });
});
