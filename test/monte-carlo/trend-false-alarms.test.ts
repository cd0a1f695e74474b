import { describe, expect, test } from 'vitest';
import { scaleOf } from '../../src/compare/metrics/metric-rules.ts';
import { findChangePoints } from '../../src/compare/trend/scan.ts';
import { randomOf } from '../../src/base/random.ts';
import { latencyRule } from '../support/sample-nights.ts';

// A smaller version of a simulation of the method's design: the last 60 nights are examined every night, 3 % noise, no
// margin.
const window = 60;
const nights = 250;
const options = { alpha: 0.001, margin: 0, scale: scaleOf(latencyRule) };

const normalOf = (random: () => number) => (): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

type Noise = (seed: number, length: number) => number[];

const normal: Noise = (seed, length) => {
  const draw = normalOf(randomOf(1, seed));
  return Array.from({ length }, () => 0.03 * draw());
};
const outliers: Noise = (seed, length) => {
  const random = randomOf(2, seed);
  return normal(seed, length).map((value) => value + (random() < 0.04 ? -0.2 * Math.log(1 - random()) : 0));
};
const autoregressive: Noise = (seed, length) => {
  const draw = normalOf(randomOf(3, seed));
  let last = 0.03 * draw();
  return Array.from({ length }, () => (last = 0.3 * last + 0.03 * Math.sqrt(0.91) * draw()));
};

/** Returns the change points reported for a series that is examined every night; points within three nights are merged. */
function changesTold(series: readonly number[]): number[] {
  const told: number[] = [];
  for (let tonight = window; tonight < series.length; tonight++) {
    const from = tonight - window;
    for (const { index } of findChangePoints(series.slice(from, tonight), options))
      if (!told.some((other) => Math.abs(other - from - index) <= 3)) told.push(from + index);
  }
  return told;
}

const falseAlarmsAYear = (noise: Noise, series: number): number => {
  const told = Array.from({ length: series }, (_, seed) => changesTold(noise(seed, window + nights)).length);
  return (told.reduce((sum, count) => sum + count, 0) / series) * (365 / nights);
};

describe('a trend in which nothing changes', () => {
  // The simulation found .06, .19 and .52 in 45 series of each kind: single digits of alarms, hence the room.
  test.each([
    ['of normal noise', normal, 0.3],
    ['with 4 % outliers', outliers, 0.6],
    ['whose nights are alike, AR(1) .3', autoregressive, 1.3],
  ])('raises few false alarms a year: %s', (_, noise, max) => {
    expect(falseAlarmsAYear(noise, 45)).toBeLessThan(max);
  });
});

/** Returns the nights until a step is reported within two nights of its position; `undefined` if not within 14. */
function nightsUntilTold(seed: number, step: number): number | undefined {
  const series = normal(1000 + seed, window + 14).map((value, at) =>
    at < window - 1 ? value : value + Math.log1p(step),
  );
  for (let night = 1; night <= 15; night++) {
    const found = findChangePoints(series.slice(night - 1, window + night - 1), options);
    if (found.some(({ index }) => Math.abs(index + night - 1 - (window - 1)) <= 2)) return night;
  }
  return undefined;
}

describe('a step in the trend', () => {
  test.each([
    [0.1, 0.97, 4],
    [0.2, 0.99, 3],
  ])('of %d is found within 14 nights in nearly all series', (step, min, median) => {
    const found = Array.from({ length: 100 }, (_, seed) => nightsUntilTold(seed, step)).flatMap((night) => night ?? []);
    expect(found.length / 100).toBeGreaterThanOrEqual(min);
    expect(found.toSorted((a, b) => a - b)[Math.floor(found.length / 2)]).toBeLessThanOrEqual(median);
  });
});
