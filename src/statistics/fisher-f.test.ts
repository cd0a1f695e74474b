import { expect, test } from 'vitest';
import { fQuantile } from './fisher-f.ts';

// From scipy.stats.f.ppf.
test.each([
  [0.99, 8, 6, 8.1016513667387],
  [0.99, 8, 10, 5.0566931317444155],
  [0.99, 1, 6, 13.74502253330417],
  [0.99, 4, 6, 9.14830103022785],
  [0.99, 18, 6, 7.450662666602626],
  [0.99, 198, 6, 6.93411899503177],
  [0.99, 2.5, 7.5, 8.425275621197798],
  [0.95, 3, 20, 3.098391212140781],
  [0.9999, 2, 3, 694.7383250419676],
  [0.999, 1, 5, 47.18077921641327],
  [0.5, 10, 10, 1],
  [0.01, 5, 7, 0.09564334161690896],
])("Fisher's F stays with probability %d, (%d, %d) degrees of freedom", (probability, degrees1, degrees2, truth) =>
  expect(Math.abs(fQuantile(probability, degrees1, degrees2) / truth - 1)).toBeLessThan(1e-12),
);
