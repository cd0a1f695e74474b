import { describe, expect, test } from 'vitest';
import { incompleteBeta, logBeta, logGamma } from './incomplete-beta.ts';

const offBy = (figure: number, truth: number): number => Math.abs(figure / truth - 1);

describe('the incomplete beta function', () => {
  // From mpmath with 40 digits.
  test.each([
    [2, 3, 0.4, 0.5248],
    [0.5, 0.5, 0.1, 0.20483276469913345],
    [1, 1, 0.3, 0.3],
    [5, 0.5, 1e-8, 2.460937510253907e-41],
    [50, 0.5, 0.99, 0.3173043978741974],
    [0.5, 300, 0.0005, 0.4160078975669313],
    [500, 0.5, 0.9, 1.0453677938354859e-24],
    [1e5, 0.5, 0.9999, 7.740369670946466e-6],
    [3, 4, 0.999, 0.999999999985024],
  ])('of a beta distribution (%d, %d) below %d', (a, b, x, truth) => {
    expect(offBy(incompleteBeta(a, b, x / (1 - x)), truth)).toBeLessThan(1e-11);
  });

  test('is 0 at the lower end and 1 at the upper one', () => {
    expect(incompleteBeta(2, 3, 0)).toBe(0);
    expect(incompleteBeta(2, 3, Infinity)).toBe(1);
  });
});

describe('the gamma function', () => {
  test('of whole numbers is a factorial, of a half the root of pi', () => {
    let factorial = 1;
    for (let n = 1; n <= 20; factorial *= n, n++) expect(logGamma(n)).toBeCloseTo(Math.log(factorial), 13);
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 14);
    expect(offBy(logGamma(100), 359.1342053695754)).toBeLessThan(1e-14);
  });

  test('returns the beta function, also for very different parameters', () => {
    expect(logBeta(3, 4)).toBeCloseTo(-Math.log(60), 13);
    // B(a, 1/2) is about the root of pi / a.
    expect(logBeta(1e9, 0.5)).toBeCloseTo(Math.log(Math.PI / 1e9) / 2, 9);
    expect(logBeta(1, 1e9)).toBeCloseTo(-Math.log(1e9), 12);
  });
});
