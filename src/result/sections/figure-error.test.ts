import { describe, expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { HistogramPool } from '../../record/dense-histogram.ts';
import type { SeriesName } from '../../record/series.ts';
import type { StoredSeries } from '../../record/stored-series.ts';
import { LiveTally, mergeTallies, storeTally, type Tally } from '../../record/tally.ts';
import { figureErrorsOf, type DelayKind, type FigureError } from './figure-error.ts';

/** A recorded value: its milliseconds, and what it may have waited for the event loop. */
type Value = readonly [valueMs: number, waitedMs?: number];

const times = (count: number, value: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => value(at));

function tallyOf(recorded: Partial<Record<SeriesName, readonly Value[]>>, count?: (tally: LiveTally) => void): Tally {
  const live = new LiveTally(new HistogramPool());
  for (const [name, values] of Object.entries(recorded))
    for (const [valueMs, waitedMs] of values) live.series[name as SeriesName].record(ms(valueMs), waitedMs);
  count?.(live);
  return storeTally(live);
}

const quiet = { readDelay: times(200, () => [0.1]), replyDelay: times(200, () => [0.1]) };

function errorsOf(
  tally: Tally,
  {
    series = 'attempt.ok',
    delays = 'read',
    isTls = false,
  }: { series?: SeriesName; delays?: DelayKind; isTls?: boolean } = {},
): FigureError {
  const values = tally.series[series] as StoredSeries;
  return figureErrorsOf(tally, { isTls })(delays, values, ({ percent }) => percent / 100);
}

/** A service that takes a second; one value in 25 waits for the end of a stall of up to 200 ms. */
const stalled = times(1000, (at) => (at % 25 === 0 ? [1000 + at / 5, 200] : [1000]));

describe('the error of a figure', () => {
  test('is the part of the tail that stalls of the loop made, and that part alone', () => {
    const errors = errorsOf(tallyOf({ ...quiet, 'attempt.ok': stalled }));
    // The shortest wait among the highest 1 % is 150 ms.
    expect(errors?.p99Ms).toBeGreaterThan(145);
    expect(errors?.p99Ms).toBeLessThan(1.5 * 160);
    expect(errors?.p95Ms).toBeLessThan(1);
    expect(errors?.p50Ms).toBeLessThan(1);
    expect(errors?.meanMs).toBeGreaterThan(3.9);
    expect(errors?.meanMs).toBeLessThan(8.2);
  });

  test('is small for a quiet loop, whatever the tail of the service', () => {
    const wide = times(1000, (at): Value => [100 + (at % 25 === 0 ? at : 0)]);
    const errors = errorsOf(tallyOf({ ...quiet, 'attempt.ok': wide }));
    for (const error of [errors?.p50Ms, errors?.p90Ms, errors?.p99Ms, errors?.meanMs]) expect(error).toBeLessThan(1);
  });

  test('is the delay that the system added, which no value shows', () => {
    const late = times(200, (at): Value => [at % 2 === 0 ? 0.1 : 8]);
    const errors = errorsOf(
      tallyOf({ readDelay: late, replyDelay: late, 'attempt.ok': times(1000, (at) => [100 + (at % 200) / 4]) }),
    );
    expect(errors?.p50Ms).toBeGreaterThan(4);
    expect(errors?.p50Ms).toBeLessThan(12);
  });

  test('of probes that waited for the loop is not counted twice', () => {
    const probes = times(200, (at): Value => (at % 20 === 0 ? [150.1, 150] : [0.1]));
    const errors = errorsOf(tallyOf({ readDelay: probes, replyDelay: probes, 'attempt.ok': stalled }));
    expect(errors?.p95Ms).toBeLessThan(1);
    expect(errors?.p99Ms).toBeLessThan(1.5 * 160);
  });

  test('is the same for shards together as for one process', () => {
    const half = (from: number) =>
      tallyOf({
        readDelay: quiet.readDelay.slice(100),
        replyDelay: quiet.replyDelay.slice(100),
        'attempt.ok': stalled.filter((_, at) => at % 2 === from),
      });
    const together = errorsOf(mergeTallies([half(0), half(1)]));
    expect(together).toEqual(errorsOf(tallyOf({ ...quiet, 'attempt.ok': stalled })));
  });

  test('grows with the reads that a value contains: connections, handshakes and retries', () => {
    const late = times(200, (at): Value => [2 + (at % 10) / 10]);
    const recorded = { readDelay: late, replyDelay: late, 'attempt.ok': times(1000, (at): Value => [100 + at / 10]) };
    const connected = (share: number) => (live: LiveTally) => {
      live.counters.exchanges.attempts = 100;
      live.counters.exchanges.connected = 100 * share;
    };
    const p50 = (share: number, isTls: boolean): number =>
      errorsOf(tallyOf(recorded, connected(share)), { isTls })?.p50Ms ?? NaN;
    const kept = p50(0, false);
    expect(p50(0, true)).toBe(kept);
    expect(p50(1, false)).toBeGreaterThan(1.5 * kept);
    expect(p50(1, true)).toBeGreaterThan(1.5 * p50(1, false));
    expect(p50(0.05, true)).toBeLessThan(2 * kept);

    const retried = tallyOf({ ...recorded, 'turn.1.ok': recorded['attempt.ok'] }, (live) => {
      live.counters.turnsByAttempts = { 1: 900, 3: 100 };
    });
    const ofTurns = errorsOf(retried, { series: 'turn.1.ok', delays: 'turn' });
    expect(ofTurns?.p50Ms).toBeCloseTo(kept, 1);
    // At most down to the lowest true p90.
    expect(ofTurns?.p95Ms).toBeGreaterThan(2.2 * kept);
  });

  test('is at most the figure itself: a service that replies at once is not doubted by more than it took', () => {
    const late = times(200, (at): Value => [at % 10 === 0 ? 6 : 0.1]);
    const errors = errorsOf(tallyOf({ readDelay: late, replyDelay: late, 'attempt.ok': times(1000, () => [0.4]) }));
    expect(errors?.p50Ms).toBeLessThan(0.41);
    expect(errors?.p99Ms).toBeLessThan(0.41);
  });

  test('leaves no percentile below the lowest true value of a lower one', () => {
    const late = times(1000, (at): Value => (at % 100 < 2 ? [110, 60] : [100]));
    const errors = errorsOf(tallyOf({ ...quiet, 'attempt.ok': late }));
    // 1.25 times 10 ms would be 97.5 ms, below every other value.
    expect(errors?.p99Ms).toBeGreaterThan(9.5);
    expect(errors?.p99Ms).toBeLessThan(11);
  });

  test('of a gap is the difference of two delays: nothing in the median, the delay in the tail', () => {
    const late = times(200, (at): Value => [(at % 10) / 2]);
    const recorded = {
      readDelay: late,
      replyDelay: late,
      'gap.ok': times(2000, (at): Value => [25 + (at % 10) / 2 - (Math.floor(at / 10) % 10) / 2]),
    };
    const errors = errorsOf(tallyOf(recorded), { series: 'gap.ok', delays: 'difference' });
    expect(errors?.meanMs).toBe(0);
    expect(errors?.p50Ms).toBeLessThan(0.5);
    expect(errors?.p95Ms).toBeGreaterThan(1);
  });

  test('is unknown without enough probes, and for figures that another process measured; none for those about the generator', () => {
    const few = { readDelay: times(19, () => [0.1] as Value), 'attempt.ok': stalled };
    expect(errorsOf(tallyOf(few))).toBeNull();
    const tally = tallyOf({ ...quiet, 'attempt.ok': stalled });
    expect(errorsOf(tally, { delays: 'elsewhere' })).toBeNull();
    expect(errorsOf(tally, { delays: 'none' })).toMatchObject({ meanMs: 0, p50Ms: 0, p99Ms: 0 });
  });
});
