import { expect, test } from 'vitest';
import { minOf, maxOf } from '../support/trials.ts';

// Quantiles of the binomial distribution at 99.865 %, by its exact sum.
test.each([
  [1, 0.5, 0, 1],
  [10, 0.5, 1, 9],
  [20, 0.05, 0, 5],
  [200, 0.05, 2, 20],
])('of %d trials with probability %d, %d to %d succeed', (count, p, min, max) => {
  expect([minOf(count, p), maxOf(count, p)]).toEqual([min, max]);
});
