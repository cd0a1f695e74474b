import { expect, test } from 'vitest';
import { seriesOf } from '../../../../test/support/autoregressive-series.ts';
import { beatsInFlight } from '../test/capacity-beats.ts';
import { findSettling, steadinessOf } from './steadiness.ts';

const noise = (length: number, seed: number): number[] => seriesOf(0, { length, seed });

test('a start that differs from the rest is omitted', () => {
  const levels = noise(400, 1).map((value, at) => Math.min(50, at) + value);
  const { from, trend } = findSettling(beatsInFlight(levels));
  expect(trend).toBeNull();
  expect(from).toBeGreaterThanOrEqual(45);
  expect(from).toBeLessThanOrEqual(80);
});

test('by latency too, ignoring intervals without a turn', () => {
  const jitter = noise(400, 3);
  const beats = beatsInFlight(Array.from({ length: 400 }, () => 10)).map((beat, at) => ({
    ...beat,
    turnMeanMs: at % 7 === 3 ? null : 100 + 900 * Math.exp(-at / 20) + (jitter[at] ?? 0),
  }));
  const { from, trend } = findSettling(beats);
  expect(trend).toBeNull();
  expect(from).toBeGreaterThan(40);
  expect(from).toBeLessThanOrEqual(200);
});

test.each([
  ['rises', 1],
  ['falls', -1],
] as const)('a series that still %s is not steady', (trend, direction) => {
  const levels = noise(400, 2).map((value, at) => 1000 + direction * at + value);
  expect(findSettling(beatsInFlight(levels))).toEqual({ from: 200, trend });
});

test('noise of a thousandth never resembles a trend, and omits little', () => {
  const found = Array.from({ length: 300 }, (_, seed) =>
    findSettling(beatsInFlight(noise(60, seed).map((value) => 36 + 0.036 * value))),
  );
  expect(found.filter(({ trend }) => trend !== null)).toEqual([]);
  expect(Math.max(...found.map(({ from }) => from))).toBeLessThanOrEqual(30);
});

const length = 2000;
const steadiness = (levels: readonly number[]) => steadinessOf(beatsInFlight(levels), 40);

test('a level that hardly varies is steady, however slowly it varies', () => {
  const slow = seriesOf(0.999, { length, seed: 1 }).map((value) => 50 + value / 100);
  expect(steadiness(slow)).toMatchObject({ times: Infinity, correlation: 0 });
});

test('a random walk is not steady, and a queue without long memory is', () => {
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

test('an uncorrelated level has as many values as groups at the coarsest scale', () => {
  const { times, groups } = steadiness(seriesOf(0, { length, seed: 5 }).map((value) => 50 + 5 * value));
  expect(groups).toBe(62);
  expect(Math.abs(times - groups)).toBeLessThan(25);
});

test('a few values show nothing', () => {
  expect(steadiness([4, 8, 5]).times).toBe(0);
});
