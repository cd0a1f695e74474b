import { describe, expect, test } from 'vitest';
import { turnOf } from '../../../test/support/session-records.ts';
import { snapshotOf } from '../../../test/support/synthetic-result.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { instant } from '../../base/time.ts';
import { randomOf } from '../../base/random.ts';
import { mergeTallies } from '../../record/tally.ts';
import type { Observer } from '../../session/observer.ts';
import { buildLatency, buildPositions, type Latency } from './latency.ts';
import { valuesByRank } from './latency-summary.ts';
import { percentiles } from '../percentiles/percentiles.ts';
import { rankOf } from '../../statistics/rank-of.ts';

interface TurnGiven {
  tookMs: number;
  waitedMs?: number;
  turn?: number;
  isOk?: boolean;
}

function tellTurn(observer: Observer, { tookMs, waitedMs = 0, turn = 1, isOk = true }: TurnGiven): void {
  const outcome = isOk ? ({ outcome: 'ok' } as const) : ({ outcome: 'server_error', gaveUp: 'final' } as const);
  observer.turn(turnOf({ turn, firstSentAt: instant(waitedMs), endedAt: instant(waitedMs + tookMs), ...outcome }));
}

const tallyOf = (turns: readonly TurnGiven[]) =>
  mergeTallies(
    snapshotOf(planFor(), 5000, (observer) => {
      for (const turn of turns) tellTurn(observer, turn);
    }).totals,
  );
const latencyOf = (turns: readonly TurnGiven[]): Latency => buildLatency(tallyOf(turns));
const numbers = (count: number, of: (index: number) => TurnGiven): TurnGiven[] =>
  Array.from({ length: count }, (_, index) => of(index + 1));

const random = randomOf(7);
const laws: readonly (readonly [string, () => number])[] = [
  ['uniform', () => 5 + random() * 500],
  ['exponential', () => -Math.log(1 - random()) * 200],
  ['heavy-tailed', () => Math.min(3_600_000, 3 / (1 - random()) ** 1.1)],
  ['bimodal', () => (random() < 0.97 ? 20 + random() : 4000 + random() * 10)],
  ['very short', () => random() * 0.02],
];

describe('percentiles', () => {
  test.each(laws)('of a %s distribution equal the sorted values, up to the resolution of the histogram', (_, draw) => {
    const values = Array.from({ length: 70_000 }, draw);
    const summary = latencyOf(values.map((tookMs) => ({ tookMs }))).turn;
    const sortedUs = values.map((value) => Math.round(value * 1000)).toSorted((a, b) => a - b);
    for (const { key, percent } of percentiles) {
      const exact = sortedUs[rankOf(percent, sortedUs.length) - 1] ?? NaN;
      const told = (summary[key] ?? NaN) * 1000;
      expect(told).toBeGreaterThanOrEqual(exact - 1e-6);
      expect(told - exact).toBeLessThanOrEqual(exact / 1000 + 1e-6);
    }
    const sumUs = sortedUs.reduce((sum, value) => sum + value);
    expect(summary).toMatchObject({
      count: 70_000,
      sumMs: sumUs / 1000,
      meanMs: sumUs / 70_000 / 1000,
      minMs: (sortedUs[0] ?? NaN) / 1000,
      maxMs: (sortedUs.at(-1) ?? NaN) / 1000,
    });
  });

  test.each(percentiles.slice(0, 6))('$name exists from $floor samples on', ({ key, floor }) => {
    expect(latencyOf(numbers(floor - 1, (i) => ({ tookMs: i }))).turn[key]).toBeNull();
    expect(latencyOf(numbers(floor, (i) => ({ tookMs: i }))).turn[key]).toBeGreaterThan(floor / 3);
  });

  test.each([
    [11, 50],
    [24, 75],
    [64, 90],
    [130, 95],
    [662, 99],
    [6636, 99.9],
    [66_381, 99.99],
  ])('below %d samples fewer than two of them may lie above p%d with more than 1 %% probability', (floor, percent) => {
    expect(percentiles.find((each) => each.percent === percent)?.floor).toBe(floor);
    const fewAbove = (samples: number) =>
      samples * (percent / 100) ** (samples - 1) * (1 - percent / 100) + (percent / 100) ** samples;
    expect(fewAbove(floor)).toBeLessThan(fewAbove(floor - 1));
    expect(fewAbove(floor)).toBeLessThanOrEqual(0.01);
    expect(fewAbove(floor - 1)).toBeGreaterThan(0.01);
  });

  test('have a rank that rounding errors do not raise', () => {
    expect([rankOf(99.9, 41_000), rankOf(50, 1), rankOf(50, 2), rankOf(50, 3), rankOf(99, 101)]).toEqual([
      40_959, 1, 1, 2, 100,
    ]);
    expect((99.9 * 41_000) / 100).toBeGreaterThan(40_959);
  });

  test('are found at every rank of any number of values', () => {
    for (const count of [1, 2, 7, 18, 19, 1000, 1999]) {
      const { series } = tallyOf(numbers(count, (rank) => ({ tookMs: rank / 1000 })));
      const stored = series['turn.1.ok'];
      if (stored === undefined) throw new Error('nothing was recorded');
      const valueAt = valuesByRank(stored);
      const ranks = Array.from({ length: count }, (_, index) => index + 1);
      expect(ranks.filter((rank) => Math.round(valueAt(rank) * 1000) !== rank)).toEqual([]);
    }
  });

  test('never exceed the exact extremes, although buckets do', () => {
    const { turn } = latencyOf(numbers(700, () => ({ tookMs: 10_007.123 })));
    expect(turn).toMatchObject({ p50Ms: 10_007.123, p99Ms: 10_007.123, maxMs: 10_007.123, minMs: 10_007.123 });
  });
});

describe('latency', () => {
  test('of an empty series is empty', () => {
    const { turn, backoff } = latencyOf([]);
    expect(backoff).toMatchObject({
      count: 0,
      sumMs: 0,
      minMs: null,
      meanMs: null,
      maxMs: null,
      p50Ms: null,
      hdr: null,
    });
    expect(turn.adjusted).toMatchObject({ count: 0, infinite: false, infiniteFrom: null, p50Ms: null });
  });

  test('of turns contains ok and failed ones, together and separately', () => {
    const { turn } = latencyOf([
      ...numbers(20, () => ({ tookMs: 100 })),
      ...numbers(20, () => ({ tookMs: 900, isOk: false })),
    ]);
    expect(turn).toMatchObject({ count: 40, meanMs: 500, minMs: 100, maxMs: 900 });
    expect(turn.ok).toMatchObject({ count: 20, meanMs: 100, p50Ms: 100 });
    expect(turn.failed).toMatchObject({ count: 20, meanMs: 900, p50Ms: 900 });
  });

  test('counted from the due instant includes the wait of the turn', () => {
    const { turn, effective } = latencyOf(numbers(20, () => ({ tookMs: 100, waitedMs: 50 })));
    expect(turn.meanMs).toBe(100);
    expect(effective.meanMs).toBe(150);
  });

  test('longer than an hour is an hour, and marked', () => {
    const tally = tallyOf(numbers(3, () => ({ tookMs: 4_000_000 })));
    expect(tally.series['turn.1.ok']).toMatchObject({ clamped: 3, maxUs: 3_600_000_000 });
    expect(mergeTallies([tally, tally]).series['turn.1.ok']?.clamped).toBe(6);
    expect(buildLatency(tally).turn).toMatchObject({ count: 3, maxMs: 3_600_000, meanMs: 3_600_000 });
  });
});

describe('adjusted percentiles', () => {
  test('count a failed turn as infinitely slow, however fast it failed', () => {
    const { turn } = latencyOf([
      ...numbers(186, (i) => ({ tookMs: i })),
      ...numbers(14, () => ({ tookMs: 0.5, isOk: false })),
    ]);
    expect(turn.p50Ms).toBeCloseTo(86, 0);
    expect(turn.adjusted.p50Ms).toBeCloseTo(100, 0);
    expect(turn.adjusted.p90Ms).toBeCloseTo(180, 0);
    expect(turn.adjusted).toMatchObject({
      count: 200,
      p95Ms: null,
      p99Ms: null,
      infinite: true,
      infiniteFrom: 'p95Ms',
    });
  });

  test('equal the percentiles of all turns if none failed, and are all infinite if all did', () => {
    const fine = latencyOf(numbers(200, (i) => ({ tookMs: i }))).effective;
    const { p50Ms, p95Ms } = fine;
    expect(p95Ms).toBeCloseTo(190, 0);
    expect(fine.adjusted).toMatchObject({ p50Ms, p95Ms, infinite: false, infiniteFrom: null });
    // The minimum for a median.
    const none = latencyOf(numbers(11, () => ({ tookMs: 1, isOk: false }))).turn;
    expect(none.adjusted).toMatchObject({ count: 11, p50Ms: null, infinite: true, infiniteFrom: 'p50Ms' });
  });
});

test('positions are turn numbers or ranges of them', () => {
  const turns = [1, 2, 3, 4, 5, 8, 9, 16, 17, 400].map((turn) => ({ tookMs: turn, turn, isOk: turn !== 4 }));
  expect(
    buildPositions(tallyOf(turns)).map(({ position, count, failed, minMs, maxMs }) => [
      position,
      count,
      failed.count,
      minMs,
      maxMs,
    ]),
  ).toEqual([
    ['1', 1, 0, 1, 1],
    ['2', 1, 0, 2, 2],
    ['3-4', 2, 1, 3, 4],
    ['5-8', 2, 0, 5, 8],
    ['9-16', 2, 0, 9, 16],
    ['17+', 2, 0, 17, 400],
  ]);
});
