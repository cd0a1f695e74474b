import { randomNormal } from 'd3-random';
import { expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { dickeyFuller, relaxationOf } from './dickey-fuller.ts';

/** A first-order autoregressive series; `phi` 1: a random walk. */
function seriesOf(phi: number, { length, seed }: { length: number; seed: number }): number[] {
  const draw = randomNormal.source(randomOf(seed))();
  let value = 0;
  return Array.from({ length }, () => (value = phi * value + draw()));
}

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

test('the relaxation time is that of the series', () => {
  const reversion = dickeyFuller(seriesOf(0.9, { length: 20_000, seed: 1 }));
  expect(relaxationOf(reversion ?? { phi: 0 })).toBeCloseTo(-1 / Math.log(0.9), -0.5);
  expect(relaxationOf({ phi: -0.2 })).toBe(0);
  expect(relaxationOf({ phi: 1 })).toBe(Infinity);
});

test('says nothing of what does not vary, or is too short', () => {
  expect(dickeyFuller([3, 3, 3, 3, 3])).toBeNull();
  expect(dickeyFuller([1, 2, 3])).toBeNull();
});
