import { describe, expect, test } from 'vitest';
import fixture from '../../test/fixtures/weighed-changes.json' with { type: 'json' };
import { adjustForFamily } from './benjamini-hochberg.ts';

describe('p-values of a family', () => {
  // By scipy.stats.false_discovery_control.
  test('are adjusted as by Benjamini and Hochberg', () => {
    const adjusted = adjustForFamily([0.01, 0.5, 0.02, 0.9, 0.03]);
    [0.05, 0.625, 0.05, 0.9, 0.05].forEach((truth, index) => expect(adjusted[index]).toBeCloseTo(truth, 12));
  });

  test('never put a clearer one behind a less clear one', () => {
    expect(adjustForFamily([0.04, 0.045])).toEqual([0.045, 0.045]);
  });

  test('stay as they are when alone, and never exceed 1', () => {
    expect(adjustForFamily([0.04])).toEqual([0.04]);
    expect(adjustForFamily([1, 1, 0.99])).toEqual([1, 1, 1]);
    expect(adjustForFamily([])).toEqual([]);
  });

  test.each(fixture.families)('are called as by the simulation: $p at $q', ({ p, q, rejected }) =>
    expect(adjustForFamily(p).map((each) => each <= q)).toEqual(rejected),
  );
});
