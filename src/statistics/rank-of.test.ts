import { describe, expect, test } from 'vitest';
import { percentiles } from '../result/percentiles/percentiles.ts';
import { randomOf } from '../base/random.ts';
import { rankOf, upperRankOf } from './rank-of.ts';

describe('the conservative estimate of a percentile', () => {
  test('is the 77th greatest of 10,000 values for p99, as MLPerf publishes it', () => {
    expect(upperRankOf(99, 10_000)).toBe(10_000 - 77 + 1);
  });

  test('needs 459 values for p99, none of which may be beyond it', () => {
    expect(upperRankOf(99, 458)).toBeUndefined();
    expect(upperRankOf(99, 459)).toBe(459);
  });

  test.each(percentiles)(
    'of $name is the maximum at the minimum number of values for which it is published',
    (percentile) => {
      const { percent, floor } = percentile;
      expect([upperRankOf(percent, floor), upperRankOf(percent, floor - 1)]).toEqual([floor, floor - 1]);
      expect(upperRankOf(percent, 20 * floor)).toBeGreaterThan(rankOf(percent, 20 * floor));
    },
  );

  test('is below the true percentile in at most one of a hundred cases', () => {
    const [trials, count] = [2000, 1000];
    let below = 0;
    for (let seed = 1; seed <= trials; seed++) {
      const random = randomOf(seed);
      const values = Array.from({ length: count }, () => random()).sort((a, b) => a - b);
      if ((values[(upperRankOf(99, count) ?? 0) - 1] ?? 0) < 0.99) below++;
    }
    expect(below / trials).toBeLessThan(0.01 + 3 * Math.sqrt((0.01 * 0.99) / trials));
    expect(below).toBeGreaterThan(0);
  });
});
