import { randomNormal } from 'd3-random';
import { describe, expect, test } from 'vitest';
import { latencyRule, rateRule, runsOf } from '../../test/support/observed-runs.ts';
import { randomOf } from '../base/random.ts';
import { selfTest, type OwnRuns } from './self-test.ts';

const normal = randomNormal.source(randomOf(3));
const noisy = (runs: number, deviation: number) => {
  const level = normal(4.6, deviation);
  return runsOf(
    Array.from({ length: runs }, () => level()),
    { within: deviation ** 2 / 4 },
  );
};
const own = (runs: number): OwnRuns[] => [
  { rule: latencyRule, runs: noisy(runs, 0.1) },
  { rule: rateRule, runs: noisy(runs, 0.05) },
];

describe('comparing a release with itself', () => {
  test('raises an alarm in at most one of twenty draws', () => {
    const found = selfTest(own(40), { runsPerSide: 5, q: 0.05, draws: 1000 });
    // Three standard errors of 1,000 draws beyond 5 %.
    expect((found?.alarms ?? NaN) / 1000).toBeLessThan(0.07);
  });

  test('counts every draw in which anything is called different', () => {
    const any = own(12).map((each) => ({ ...each, rule: { ...each.rule, margin: 0 } }));
    expect(selfTest(any, { runsPerSide: 5, q: 1 })).toEqual({ draws: 200, alarms: 200 });
  });

  test('finds the same again', () => {
    const runs = own(12);
    const loose = { runsPerSide: 3, q: 0.5 };
    expect(selfTest(runs, loose)?.alarms).toBeGreaterThan(0);
    expect(selfTest(runs, loose)).toEqual(selfTest(runs, loose));
    expect(selfTest(runs, { ...loose, seed: 2 })).not.toEqual(selfTest(runs, loose));
  });

  test('has no result with fewer than ten runs, or fewer than both sides need', () => {
    expect(selfTest(own(9), { runsPerSide: 3, q: 0.05 })).toBeNull();
    expect(selfTest(own(10), { runsPerSide: 6, q: 0.05 })).toBeNull();
    expect(selfTest([], { runsPerSide: 3, q: 0.05 })).toBeNull();
  });

  test('continues without the runs that do not have a metric', () => {
    const runs = noisy(12, 0.1).map((run, number) => (number === 0 ? null : run));
    expect(selfTest([{ rule: latencyRule, runs }], { runsPerSide: 5, q: 0.05 })?.draws).toBe(200);
  });
});
