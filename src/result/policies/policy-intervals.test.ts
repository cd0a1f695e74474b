import { describe, expect, test } from 'vitest';
import { randomOf, type Random } from '../../base/random.ts';
import { newCounters } from '../../record/counters.ts';
import { countSession } from '../../record/session-sums.ts';
import type { SessionTally } from '../../session/session-tally.ts';
import { ms } from '../../base/time.ts';
import { buildPolicyIntervals, estimateRatios, type ComparedFigure } from './policy-intervals.ts';

const sumsOf = (sessions: readonly SessionTally[]) => {
  const sums = newCounters().sessionSums;
  for (const session of sessions) countSession(sums, session);
  return sums;
};
const session = (turns: number, good: number, attempts: number, lost: number): SessionTally => ({
  turns,
  good,
  attempts,
  lostMs: ms(lost),
  costNanos: 0,
});
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe('intervals over sessions', () => {
  // By hand: 20 sessions of 4 turns (4 good, 4 attempts, nothing lost), 20 of 2 turns (1 good, 6 attempts, 30 ms lost).
  const half = times(20, () => [session(4, 4, 4, 0), session(2, 1, 6, 30)]).flat();
  const intervals = buildPolicyIntervals(sumsOf(half));

  test.each([
    // 100 of 120 turns; residuals 4 - 4 R = 2/3 and 1 - 2 R = -2/3; t(.975, 39) = 2.0227.
    ['goodputShare', 100 / 120, (2.0227 * Math.sqrt((40 * (4 / 9) * 40) / 39)) / 120],
    // 200 of 120; residuals 4 - 4 R = -8/3 and 6 - 2 R = 8/3.
    ['amplification', 200 / 120, (2.0227 * Math.sqrt((40 * (64 / 9) * 40) / 39)) / 120],
    // 600 ms over 120; residuals -20 and 20 ms.
    ['backoffActualPerTurnMs', 5, (2.0227 * Math.sqrt((40 * 400 * 40) / 39)) / 120],
  ] as const)('match the hand calculation: %s', (figure, value, halfWidth) => {
    const told = intervals[figure];
    expect(told?.value).toBeCloseTo(value, 12);
    expect((told?.high ?? 0) - value).toBeCloseTo(halfWidth, 3);
    expect(value - (told?.low ?? 0)).toBeCloseTo(halfWidth, 3);
    expect(intervals.sessions).toBe(40);
  });

  test('are wider than for independent turns if sessions are good or bad as a whole', () => {
    const whole = buildPolicyIntervals(sumsOf(times(100, (i) => session(10, i % 2 === 0 ? 10 : 0, 10, 0))));
    const width = (whole.goodputShare?.high ?? 0) - (whole.goodputShare?.low ?? 0);
    // A thousand independent turns would give 2 x 1.96 x sqrt(.25 / 1000) = 0.062.
    expect(width).toBeGreaterThan(0.19);
  });

  test('are not computed below thirty sessions', () => {
    const few = times(29, (i) => session(2, i % 3, 2, 0));
    expect(buildPolicyIntervals(sumsOf(few))).toEqual({
      sessions: 29,
      goodputShare: null,
      servedShare: null,
      amplification: null,
      backoffActualPerTurnMs: null,
    });
    expect(buildPolicyIntervals(sumsOf([...few, session(2, 1, 2, 0)])).goodputShare).not.toBeNull();
  });

  test('stay within the range of a share, and always have a width for a share', () => {
    const { goodputShare, amplification } = buildPolicyIntervals(sumsOf(times(50, () => session(4, 4, 4, 0))));
    expect(goodputShare).toMatchObject({ value: 1, high: 1 });
    expect(goodputShare?.low).toBeGreaterThan(0.98);
    expect(goodputShare?.low).toBeLessThan(0.995);
    expect(amplification).toEqual({ value: 1, low: 1, high: 1 });
  });
});

/**
 * A session of a service with a known distribution: half of the sessions have a bad day. Turns of a session share its
 * day, so that they are far from independent; the number of turns differs, and bad days cut sessions short.
 */
function drawSession(random: Random): SessionTally {
  const isBad = random() < 0.5;
  const turns = 1 + Math.floor(random() * (isBad ? 4 : 8));
  const tally = session(turns, 0, 0, 0);
  for (let turn = 0; turn < turns; turn++) {
    const attempts = 1 + (random() < (isBad ? 0.6 : 0.1) ? 1 + Math.floor(random() * 3) : 0);
    tally.attempts += attempts;
    if (random() < (isBad ? 0.5 : 0.95)) tally.good += 1;
    for (let retry = 1; retry < attempts; retry++) tally.lostMs = ms(tally.lostMs + random() * 200);
  }
  return tally;
}

// Mean turns: bad days 2.5, good ones 4.5. Means of attempts beyond the first, for a turn: 2 x .6 and 2 x .1.
const truth: Readonly<Record<ComparedFigure, number>> = {
  goodputShare: (2.5 * 0.5 + 4.5 * 0.95) / 7,
  servedShare: (2.5 * 0.5 + 4.5 * 0.95) / 7,
  amplification: 1 + (2.5 * 1.2 + 4.5 * 0.2) / 7,
  backoffActualPerTurnMs: (100 * (2.5 * 1.2 + 4.5 * 0.2)) / 7,
};

describe('against a known truth, in two thousand runs of 60 sessions each', () => {
  const runs = times(2000, (run) => {
    const random = randomOf(7, run);
    return sumsOf(times(60, () => drawSession(random)));
  });

  test.each(Object.keys(truth) as ComparedFigure[])('of a hundred intervals of %s ninety-five contain it', (figure) => {
    const intervals = runs.map((sums) => buildPolicyIntervals(sums)[figure]);
    const held = intervals.filter((each) => each !== null && each.low <= truth[figure] && truth[figure] <= each.high);
    expect(held.length / runs.length).toBeGreaterThan(0.92);
    expect(held.length / runs.length).toBeLessThan(0.98);
  });

  test.each(Object.keys(truth) as ComparedFigure[])('the standard error of %s is the spread between runs', (figure) => {
    const estimates = runs.map((sums) => estimateRatios(sums)[figure]);
    const spread = Math.sqrt(mean(estimates.map((each) => ((each?.value ?? NaN) - truth[figure]) ** 2)));
    expect(mean(estimates.map((each) => each?.standardError ?? NaN)) / spread).toBeGreaterThan(0.93);
    expect(mean(estimates.map((each) => each?.standardError ?? NaN)) / spread).toBeLessThan(1.07);
  });
});

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
