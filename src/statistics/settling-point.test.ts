import { expect, test } from 'vitest';
import { seriesOf } from '../../test/support/autoregressive-series.ts';
import { dickeyFuller } from './change-points.ts';

const statisticOf = (phi: number, length: number, seed: number): number =>
  dickeyFuller(seriesOf(phi, { length, seed }))?.statistic ?? 0;

test('a random walk passes 20.7 once in a hundred, and 25 in fewer', () => {
  const statistics = Array.from({ length: 2000 }, (_, seed) => statisticOf(1, 250, seed));
  const beyond = (limit: number): number => statistics.filter((statistic) => statistic > limit).length;
  expect(beyond(20.7)).toBeGreaterThan(5);
  expect(beyond(20.7)).toBeLessThan(34);
  expect(beyond(25)).toBeLessThan(14);
});

test('what comes back to its mean passes once it is many relaxation times long', () => {
  const passes = (length: number): number =>
    Array.from({ length: 200 }, (_, seed) => statisticOf(0.95, length, seed)).filter((statistic) => statistic > 25)
      .length;
  expect(passes(100)).toBeLessThan(20);
  expect(passes(1500)).toBeGreaterThan(190);
});

test('says nothing of what does not vary, or is too short', () => {
  expect(dickeyFuller([3, 3, 3, 3, 3])).toBeNull();
  expect(dickeyFuller([1, 2, 3])).toBeNull();
});
