import { describe, expect, test } from 'vitest';
import {
  adjustForFamily,
  type DifferenceNoise,
  isContradicted,
  levelAmong,
  moderate,
  observationsNeeded,
} from './differences.ts';
import { fQuantile } from './student-t.ts';

describe('a moderated variance', () => {
  test('is the mean of observation and prior, weighted by degrees of freedom', () => {
    expect(moderate({ variance: 1, degrees: 8 }, { variance: 4, degrees: 4 })).toEqual({ variance: 2, degrees: 12 });
  });

  test('is the prior without observations, and the observation without a prior', () => {
    const known = { variance: 3, degrees: 5 };
    const nothing = { variance: 0, degrees: 0 };
    expect(moderate(nothing, known)).toEqual(known);
    expect(moderate(known, nothing)).toEqual(known);
  });
});

test('a known prior is the moderated variance, whatever was observed', () => {
  const known = { variance: 3, degrees: Infinity };
  expect(moderate({ variance: 9, degrees: 4 }, known)).toEqual(known);
});

describe('the level of a member of a family', () => {
  test.each([
    ['alone', [], 0.05],
    ['among others that are far', [0.9, 0.5, 0.7], 0.05 / 4],
    ['next to one that is below its level', [0.9, 0.5, 0.001], 0.05 / 2],
    ['if all others are below theirs', [0.03, 0.02, 0.05], 0.05],
  ])('is the largest p that is adjusted to q at most: %s', (_, others, level) => {
    expect(levelAmong(others, 0.05)).toBeCloseTo(level, 12);
    const adjusted = (p: number): number => adjustForFamily([p, ...others])[0] ?? NaN;
    expect(adjusted(level * 0.999)).toBeLessThanOrEqual(0.05);
    expect(adjusted(level * 1.001)).toBeGreaterThan(0.05);
  });
});

describe('a prior variance is contradicted', () => {
  const prior = { variance: 2, degrees: 6 };
  const limit = 2 * fQuantile(0.99, 4, 6);

  test.each([
    ['by one that is less likely than 1 % under it', limit * 1.001, true],
    ['not by a likelier one', limit * 0.999, false],
    ['not by a smaller one, however small', 0, false],
  ])('%s', (_, variance, expected) => {
    expect(isContradicted(prior, { variance, degrees: 4 })).toBe(expected);
  });

  test('not if nothing was seen, and not by rounding errors', () => {
    expect(isContradicted(prior, { variance: 100, degrees: 0 })).toBe(false);
    expect(isContradicted({ variance: 0, degrees: 6 }, { variance: 1e-20, degrees: 4 })).toBe(false);
  });
});

const noise = (deviation: number, other: Partial<DifferenceNoise> = {}): DifferenceNoise => ({
  variance: deviation ** 2,
  sides: 2,
  priorDegreesOfFreedom: 0,
  ...other,
});

// By simulation with 4,000 comparisons per cell (design table of runs per side for 80 % power at 5 %).
test.each([
  [0.02, [4, 3, 2]],
  [0.035, [10, 4, 3]],
  [0.05, [18, 6, 3]],
  [0.08, [43, 13, 5]],
])('with a noise of %d between runs, +5, +10 and +20 % need this many runs per side', (deviation, runs) => {
  [0.05, 0.1, 0.2].forEach((change, index) => {
    const needed = observationsNeeded(noise(deviation), Math.log1p(change));
    // By normal power plus t quantiles: at few degrees of freedom it requires one more run.
    expect(Math.abs(needed - (runs[index] ?? 0))).toBeLessThanOrEqual(1);
  });
});

test('both sides contribute their degrees of freedom', () => {
  // t(.975) + t(.8) with 10 degrees is 3.107, and 3.107 * 0.05 * sqrt(2 / 6) < ln 1.1; five runs are too few.
  expect(observationsNeeded(noise(0.05), Math.log(1.1))).toBe(6);
});

test('history saves runs, and a pair is one observation', () => {
  const without = observationsNeeded(noise(0.05), 0.1);
  expect(observationsNeeded(noise(0.05, { priorDegreesOfFreedom: 6 }), 0.1)).toBeLessThan(without);
  // The variance of a pair's difference is the variance of two runs: as many pairs as runs per side, or one more for
  // the lost degrees of freedom.
  const pairs = observationsNeeded(noise(0.05 * Math.SQRT2, { sides: 1 }), 0.1);
  expect(pairs).toBeGreaterThanOrEqual(without);
  expect(pairs).toBeLessThanOrEqual(without + 2);
});

import fixture from '../../test/fixtures/weighed-changes.json' with { type: 'json' };

describe('p-values of a family', () => {
  // By scipy.stats.false_discovery_control.
  test('are adjusted as by Benjamini and Hochberg', () => {
    const adjusted = adjustForFamily([0.01, 0.5, 0.02, 0.9, 0.03]);
    [0.05, 0.625, 0.05, 0.9, 0.05].forEach((truth, index) => expect(adjusted[index]).toBeCloseTo(truth, 12));
  });

  test('keep the order of the p-values', () => {
    expect(adjustForFamily([0.04, 0.045])).toEqual([0.045, 0.045]);
  });

  test('are unchanged when alone, and never exceed 1', () => {
    expect(adjustForFamily([0.04])).toEqual([0.04]);
    expect(adjustForFamily([1, 1, 0.99])).toEqual([1, 1, 1]);
    expect(adjustForFamily([])).toEqual([]);
  });

  test.each(fixture.families)('are classified as in the simulation: $p at $q', ({ p, q, rejected }) =>
    expect(adjustForFamily(p).map((each) => each <= q)).toEqual(rejected),
  );
});
