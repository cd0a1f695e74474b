import { expect, test } from 'vitest';
import { observationsNeeded, type DifferenceNoise } from './runs-needed.ts';

const noise = (deviation: number, other: Partial<DifferenceNoise> = {}): DifferenceNoise => ({
  variance: deviation ** 2,
  sides: 2,
  priorDegreesOfFreedom: 0,
  ...other,
});

// By simulation with 4,000 comparisons a cell (design table of runs a side for 80 % power at 5 %).
test.each([
  [0.02, [4, 3, 2]],
  [0.035, [10, 4, 3]],
  [0.05, [18, 6, 3]],
  [0.08, [43, 13, 5]],
])('with a noise of %d between runs it takes so many a side for +5, +10 and +20 %', (deviation, runs) => {
  [0.05, 0.1, 0.2].forEach((change, index) => {
    const needed = observationsNeeded(noise(deviation), Math.log1p(change));
    // By normal power plus t quantiles: at few degrees of freedom it asks for one run more.
    expect(Math.abs(needed - (runs[index] ?? 0))).toBeLessThanOrEqual(1);
  });
});

test('both sides lend their degrees of freedom', () => {
  // t(.975) + t(.8) with 10 degrees is 3.107, and 3.107 * 0.05 * sqrt(2 / 6) < ln 1.1; five runs are too few.
  expect(observationsNeeded(noise(0.05), Math.log(1.1))).toBe(6);
});

test('history saves runs, and a pair is one observation', () => {
  const without = observationsNeeded(noise(0.05), 0.1);
  expect(observationsNeeded(noise(0.05, { priorDegreesOfFreedom: 6 }), 0.1)).toBeLessThan(without);
  // The variance of a pair's difference is that of two runs: as many pairs as runs a side, or one more for the degrees lost.
  const pairs = observationsNeeded(noise(0.05 * Math.SQRT2, { sides: 1 }), 0.1);
  expect(pairs).toBeGreaterThanOrEqual(without);
  expect(pairs).toBeLessThanOrEqual(without + 2);
});
