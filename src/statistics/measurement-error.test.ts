import { describe, expect, test } from 'vitest';
import { differenceOfDelays, binQuantiles, measurementErrors, sumOfDelays, type Binned } from './measurement-error.ts';
import { median } from './averages.ts';

/** Numbers from 0 to 1 by a linear congruential generator. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}

type Draw = (random: () => number) => number;
const lognormal =
  (medianMs: number, sigma: number): Draw =>
  (random) =>
    medianMs * Math.exp(sigma * Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random()));

const services: Readonly<Record<string, Draw>> = {
  'a constant second': (random) => 1000 + 0.5 * random(),
  '200 ms, sigma 0.4': lognormal(200, 0.4),
  '100 ms, sigma 0.02': lognormal(100, 0.02),
};

const delays: Readonly<Record<string, Draw>> = {
  'of a quiet loop': (random) => 0.07 + 0.05 * random(),
  'of stalls of up to 200 ms for 5 % of the time': (random) => (random() < 0.05 ? 200 * random() : 0.07),
  'of a busy machine': (random) => (random() < 0.6 ? 0.1 : random() < 0.7 ? 4 : 12) * random(),
  'of a loop that is always late': (random) => 2 + 3 * random(),
};

const sorted = (count: number, draw: () => number): number[] =>
  Array.from({ length: count }, draw).sort((a, b) => a - b);
const quantileOf = (values: readonly number[], quantile: number): number =>
  values[Math.max(0, Math.ceil(quantile * values.length) - 1)] ?? NaN;

/** Groups sorted values into ranges, in buckets of 0.1 %, as a histogram does. */
function binsOf(values: readonly number[]): Binned {
  const ranges: { from: number; to: number; count: number }[] = [];
  values.forEach((value, at) => {
    const width = 2 ** Math.floor(Math.log2(value / 1000));
    const [from, to] = [Math.floor(value / width) * width, (Math.floor(value / width) + 1) * width];
    const last = ranges.at(-1);
    const share = Math.min(0.01, (1 - at / values.length) / 12) * values.length;
    if (last !== undefined && (from < last.to || last.count < share)) {
      last.count++;
      last.to = Math.max(last.to, to);
    } else ranges.push({ from, to, count: 1 });
  });
  return {
    from: Float64Array.from(ranges, ({ from }) => from),
    to: Float64Array.from(ranges, ({ to }) => to),
    weights: Float64Array.from(ranges, ({ count }) => count / values.length),
  };
}

const quantiles = [0.5, 0.9, 0.95, 0.99];
const [runs, turns, probes] = [60, 1000, 500];

/** Simulates runs; returns the true and the stated error of each quantile. */
function simulate(service: Draw, delay: Draw): { quantile: number; trueMs: number; statedMs: number }[] {
  const random = drawing(4711);
  return Array.from({ length: runs }).flatMap(() => {
    const truth = Array.from({ length: turns }, () => service(random));
    const measured = truth.map((value) => value + delay(random)).sort((a, b) => a - b);
    truth.sort((a, b) => a - b);
    const probed = sorted(probes, () => delay(random));
    const errorAt = measurementErrors(
      binsOf(measured),
      binQuantiles((quantile) => quantileOf(probed, quantile)),
      turns,
    );
    return quantiles.map((quantile) => ({
      quantile,
      trueMs: quantileOf(measured, quantile) - quantileOf(truth, quantile),
      statedMs: errorAt(quantile),
    }));
  });
}

const pairs = Object.keys(services).flatMap((service) => Object.keys(delays).map((delay) => [service, delay] as const));

describe('the stated error of a percentile', () => {
  test.each(pairs)('of %s, with delays %s, contains the true error in at least 86 of 100 runs', (service, delay) => {
    const simulated = simulate(services[service] ?? (() => 0), delays[delay] ?? (() => 0));
    for (const quantile of quantiles) {
      const those = simulated.filter((each) => each.quantile === quantile);
      const within = those.filter(({ trueMs, statedMs }) => trueMs <= Math.max(1, statedMs));
      expect([quantile, within.length / runs]).toEqual([quantile, expect.toSatisfy((share: number) => share >= 0.86)]);
    }
  });

  test.each(pairs)(
    'of %s, with delays %s, is at most three times the true error of a p50, or 1 ms',
    (service, delay) => {
      const medians = simulate(services[service] ?? (() => 0), delays[delay] ?? (() => 0)).filter(
        ({ quantile }) => quantile === 0.5,
      );
      const trueMs = median(medians.map((each) => each.trueMs));
      expect(median(medians.map((each) => each.statedMs))).toBeLessThan(Math.max(1.2, 3 * trueMs));
    },
  );

  test('of a constant second with stalls is that of the tail that they made, not of one more delay', () => {
    const stalled = simulate(
      services['a constant second'] ?? (() => 0),
      delays['of stalls of up to 200 ms for 5 % of the time'] ?? (() => 0),
    );
    const tails = stalled.filter(({ quantile }) => quantile === 0.99);
    expect(median(tails.map(({ trueMs }) => trueMs))).toBeGreaterThan(140);
    expect(median(tails.map(({ statedMs }) => statedMs))).toBeGreaterThan(140);
  });

  test('of a tail of few values is small if long delays are rare: the chance of few values is not doubted', () => {
    const random = drawing(5);
    const delay: Draw = (next) => (next() < 0.004 ? 5 * next() : lognormal(0.1, 0.7)(next));
    const stated = Array.from({ length: runs }, () => {
      const values = sorted(900, () => lognormal(50, 0.3)(random) + delay(random));
      const probed = sorted(250, () => delay(random));
      const errorAt = measurementErrors(
        binsOf(values),
        binQuantiles((quantile) => quantileOf(probed, quantile)),
        900,
      );
      return [0.9, 0.95, 0.99].map((quantile) => errorAt(quantile));
    });
    expect([0, 1, 2].map((at) => median(stated.map((errors) => errors[at] ?? NaN)) < 1)).toEqual([true, true, true]);
  });

  test('is the largest delay if the delay cannot be independent: every reply waits for the end of a suspension', () => {
    const random = drawing(11);
    // Replies take 100 ms, and are always read 80 ms later; every reply meets a delay of up to 90 ms.
    const values = sorted(1000, () => 180 + 2 * random());
    const probed = sorted(500, () => 90 * random());
    const errorAt = measurementErrors(
      binsOf(values),
      binQuantiles((quantile) => quantileOf(probed, quantile)),
      1000,
    );
    expect(errorAt(0.5)).toBeGreaterThan(80);
    expect(errorAt(0.5)).toBeLessThan(120);
  });

  test('does not depend on spaces without values', () => {
    const delay = binQuantiles((quantile) => 0.2 * quantile);
    const errorAt = measurementErrors(
      {
        from: Float64Array.from([10, 20, 50]),
        to: Float64Array.from([10.1, 20.1, 50.1]),
        weights: Float64Array.from([0.9, 0.08, 0.02]),
      },
      delay,
      100,
    );
    for (const quantile of [0.9, 0.95, 0.98]) expect(errorAt(quantile)).toBeLessThan(0.5);
  });

  test('is never negative, and never above the largest delay by more than a quarter', () => {
    const random = drawing(7);
    const values = sorted(300, () => 50 * random());
    const errorAt = measurementErrors(
      binsOf(values.map((value) => value + 1)),
      binQuantiles((at) => 8 * at),
      300,
    );
    for (let at = 0; at <= 100; at++) {
      expect(errorAt(at / 100)).toBeGreaterThanOrEqual(0);
      expect(errorAt(at / 100)).toBeLessThanOrEqual(10);
    }
  });
});

test('delays add up, and their difference is symmetric', () => {
  const even = binQuantiles((quantile) => 10 * quantile);
  const meanOf = ({ from, to, weights }: Binned): number =>
    weights.reduce((sum, weight, at) => sum + (weight * ((from[at] ?? 0) + (to[at] ?? 0))) / 2, 0);
  expect(meanOf(even)).toBeCloseTo(5, 1);
  expect(meanOf(sumOfDelays(even, even))).toBeCloseTo(10, 0);
  const difference = differenceOfDelays(even);
  expect(meanOf(difference)).toBeCloseTo(0, 6);
  expect(difference.from[0]).toBeLessThan(-8);
  expect(difference.to.at(-1)).toBeGreaterThan(8);
});
