import { randomNormal } from 'd3-random';
import { expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { findSawtooth } from './change-points.ts';

const noiseOf = (seed: number) => randomNormal.source(randomOf(7, seed))(0, 0.02);
const series = (seed: number, shape: (at: number) => number): number[] => {
  const noise = noiseOf(seed);
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

test('the same turned around in time is none: sudden growth that slowly falls', () => {
  expect(findSawtooth(series(3, (at) => 0.4 - ((at % 40) / 40) * 0.4))).toBeUndefined();
});

test('neither spikes nor stays at a level that end at once are', () => {
  expect(findSawtooth(series(4, (at) => (at % 40 === 20 ? 0.5 : 0)))).toBeUndefined();
  expect(findSawtooth(series(5, (at) => (at % 40 < 20 ? 0.5 : 0)))).toBeUndefined();
  expect(findSawtooth(series(6, () => 0))).toBeUndefined();
  expect(findSawtooth([])).toBeUndefined();
});

test('a tooth counts from five values on', () => {
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

test('without any noise nothing is, since a fall is measured by it', () => {
  expect(findSawtooth(Array.from({ length: 240 }, (_, at) => at % 40))).toBeUndefined();
});
