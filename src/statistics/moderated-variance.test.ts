import { describe, expect, test } from 'vitest';
import { fQuantile } from './fisher-f.ts';
import { isContradicted, moderate } from './moderated-variance.ts';

describe('a moderated variance', () => {
  test('is the mean of what was seen and of the prior, by their degrees of freedom', () => {
    expect(moderate({ variance: 1, degrees: 8 }, { variance: 4, degrees: 4 })).toEqual({ variance: 2, degrees: 12 });
  });

  test('is the prior where nothing was seen, and what was seen without a prior', () => {
    const known = { variance: 3, degrees: 5 };
    const nothing = { variance: 0, degrees: 0 };
    expect(moderate(nothing, known)).toEqual(known);
    expect(moderate(known, nothing)).toEqual(known);
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

  test('not where nothing was seen, and not by rounding errors', () => {
    expect(isContradicted(prior, { variance: 100, degrees: 0 })).toBe(false);
    expect(isContradicted({ variance: 0, degrees: 6 }, { variance: 1e-20, degrees: 4 })).toBe(false);
  });
});
