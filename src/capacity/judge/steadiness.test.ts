import { expect, test } from 'vitest';
import { seriesOf } from '../../../test/support/autoregressive-series.ts';
import { beatsInFlight } from '../../../test/support/capacity-beats.ts';
import { steadinessOf } from './steadiness.ts';

const length = 2000;
const steadiness = (levels: readonly number[]) => steadinessOf(beatsInFlight(levels), 40);

test('what hardly varies is steady, however slowly it does', () => {
  const slow = seriesOf(0.999, { length, seed: 1 }).map((value) => 50 + value / 100);
  expect(steadiness(slow)).toMatchObject({ times: Infinity, correlation: 0 });
});

test('a random walk is not, and a queue that forgets is', () => {
  expect(steadiness(seriesOf(1, { length, seed: 1 }).map((value) => 500 + value)).times).toBeLessThan(25);
  expect(steadiness(seriesOf(0.9, { length, seed: 2 }).map((value) => 50 + value)).times).toBeGreaterThan(40);
});

test('noise does not hide a slow wave', () => {
  const wave = seriesOf(0.995, { length, seed: 3 });
  const noise = seriesOf(0, { length, seed: 4 });
  const { times, correlation } = steadiness(wave.map((value, at) => 100 + value + 8 * (noise[at] ?? 0)));
  expect(times).toBeLessThan(60);
  expect(correlation).toBeGreaterThan(0.5);
});

test('what forgets at once is as long as there are groups in the coarsest look', () => {
  const { times, groups } = steadiness(seriesOf(0, { length, seed: 5 }).map((value) => 50 + 5 * value));
  expect(groups).toBe(62);
  expect(Math.abs(times - groups)).toBeLessThan(25);
});

test('a few values show nothing', () => {
  expect(steadiness([4, 8, 5]).times).toBe(0);
});
