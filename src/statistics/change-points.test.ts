import { randomNormal } from 'd3-random';
import { expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { findStep, findSawtooth, dickeyFuller } from './change-points.ts';
import { seriesOf } from '../../test/support/autoregressive-series.ts';

const noiseOf = (seed: number, stream = 8, spread = 0.03) => randomNormal.source(randomOf(stream, seed))(0, spread);
const stepAt = (from: number, seed: number): number[] => {
  const noise = noiseOf(seed);
  return Array.from({ length: 48 }, (_, at) => (at < from ? 0 : 0.2) + noise());
};

test.each([6, 20, 43])('a step after %d of 48 values is found, with an interval that contains it', (from) => {
  const step = findStep(stepAt(from, from));
  expect(step?.index).toBe(from);
  expect(step?.low).toBeLessThan(0.2);
  expect(step?.high).toBeGreaterThan(0.2);
});

test('no step is found in noise, in a flat series, or in a few values', () => {
  const noise = noiseOf(1);
  expect(findStep(Array.from({ length: 48 }, noise))).toBeUndefined();
  expect(findStep(Array<number>(48).fill(0.3))).toBeUndefined();
  expect(findStep([0, 0, 0, 0, 1, 1, 1, 1])).toBeUndefined();
});

test('a level that drifts randomly causes false steps in fewer than two of a hundred series', () => {
  let found = 0;
  for (let seed = 0; seed < 1000; seed++) {
    const noise = noiseOf(seed);
    let level = 0;
    const values = Array.from({ length: 48 }, () => (level = 0.5 * level + noise()));
    if (findStep(values) !== undefined) found++;
  }
  expect(found).toBeLessThan(20);
});

const series = (seed: number, shape: (at: number) => number): number[] => {
  const noise = noiseOf(seed, 7, 0.02);
  return Array.from({ length: 240 }, (_, at) => shape(at) + noise());
};

test('slow growth with sudden falls is found, with its falls and their depth', () => {
  const found = findSawtooth(series(1, (at) => ((at % 40) / 40) * 0.4));
  expect(found?.falls.map((fall) => Math.round(fall / 40))).toEqual([1, 2, 3, 4, 5]);
  for (const fall of found?.falls ?? []) expect(Math.abs(((fall + 20) % 40) - 20)).toBeLessThanOrEqual(1);
  expect(found?.depth).toBeGreaterThan(0.33);
  expect(found?.depth).toBeLessThan(0.45);
});

test('a fall within a stretch, which leaves a value halfway, counts once', () => {
  const found = findSawtooth(series(2, (at) => (at > 0 && at % 40 === 0 ? 0.2 : ((at % 40) / 40) * 0.4)));
  expect(found?.falls.length).toBe(5);
});

test('the reversed series has none: sudden growth that slowly falls', () => {
  expect(findSawtooth(series(3, (at) => 0.4 - ((at % 40) / 40) * 0.4))).toBeUndefined();
});

test('neither spikes nor stays at a level that end at once are', () => {
  expect(findSawtooth(series(4, (at) => (at % 40 === 20 ? 0.5 : 0)))).toBeUndefined();
  expect(findSawtooth(series(5, (at) => (at % 40 < 20 ? 0.5 : 0)))).toBeUndefined();
  expect(findSawtooth(series(6, () => 0))).toBeUndefined();
  expect(findSawtooth([])).toBeUndefined();
});

test('a tooth needs at least five values', () => {
  /** A value halfway, then growth from 0 to 1 until the next fall. */
  const tooth = (length: number): number[] =>
    Array.from({ length }, (_, at) => (at === 0 ? 0.5 : (at - 1) / (length - 2)));
  const withOneOf = (length: number) =>
    findSawtooth(
      [0, ...[40, 40, length, 40, 40, 40].flatMap(tooth).slice(1)].map((value, at) => value + ((at * 7) % 5) / 1000),
    );
  expect(withOneOf(6)?.falls).toEqual([41, 81, 87, 127, 167]);
  expect(withOneOf(5)).toBeUndefined();
});

test('without noise no fall is found, because falls are measured relative to it', () => {
  expect(findSawtooth(Array.from({ length: 240 }, (_, at) => at % 40))).toBeUndefined();
});

const statisticOf = (phi: number, length: number, seed: number): number =>
  dickeyFuller(seriesOf(phi, { length, seed }))?.statistic ?? 0;

test('a random walk passes 20.7 once in a hundred, and 25 in fewer', () => {
  const statistics = Array.from({ length: 2000 }, (_, seed) => statisticOf(1, 250, seed));
  const beyond = (limit: number): number => statistics.filter((statistic) => statistic > limit).length;
  expect(beyond(20.7)).toBeGreaterThan(5);
  expect(beyond(20.7)).toBeLessThan(34);
  expect(beyond(25)).toBeLessThan(14);
});

test('a series that returns to its mean passes once it is many relaxation times long', () => {
  const passes = (length: number): number =>
    Array.from({ length: 200 }, (_, seed) => statisticOf(0.95, length, seed)).filter((statistic) => statistic > 25)
      .length;
  expect(passes(100)).toBeLessThan(20);
  expect(passes(1500)).toBeGreaterThan(190);
});

test('returns null for constant or short series', () => {
  expect(dickeyFuller([3, 3, 3, 3, 3])).toBeNull();
  expect(dickeyFuller([1, 2, 3])).toBeNull();
});
