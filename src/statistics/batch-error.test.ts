import { describe, expect, test } from 'vitest';
import { randomOf } from '../base/random.ts';
import { batchError } from './batch-error.ts';

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Values that resemble their neighbours: each is `memory` times the previous one plus a new random value. */
function linked(length: number, { memory, random }: { memory: number; random: () => number }): number[] {
  const fresh = Math.sqrt(1 - memory ** 2);
  const values: number[] = [];
  for (let at = 0; at < length; at++)
    values.push(at === 0 ? normal(random) : memory * (values[at - 1] ?? 0) + fresh * normal(random));
  return values;
}

const centred = (values: readonly number[]): number[] => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
};

describe('the error of a sum by batch means', () => {
  test('is null below 12 intervals', () => {
    expect(batchError(Array.from({ length: 11 }, () => 1))).toBeNull();
    expect(batchError(Array.from({ length: 12 }, () => 1))).not.toBeNull();
  });

  test('uses the sums of six batches for a short run, and ten for a long one', () => {
    // 12 intervals: six batches of two, with the sums 3, -3, 3, -3, 3, -3.
    const short = [1, 2, -1, -2, 1, 2, -1, -2, 1, 2, -1, -2];
    expect(batchError(short)).toBeCloseTo(Math.sqrt((6 * 9 * 6) / 5), 12);
    // 200 intervals: ten batches of twenty, with the sums 20 and -20.
    const long = Array.from({ length: 200 }, (_, at) => (Math.floor(at / 20) % 2 === 0 ? 1 : -1));
    expect(batchError(long)).toBeCloseTo(Math.sqrt((10 * 400 * 10) / 9), 12);
  });

  test('omits no interval if batches cannot be equally long', () => {
    // 13 intervals: the first of six batches holds three.
    const sums = [4, 4, 4, ...Array.from({ length: 10 }, () => 1)];
    expect(batchError(sums)).toBeCloseTo(Math.sqrt(((144 + 5 * 4) * 6) / 5), 12);
  });

  test.each([0, 0.8])('is the true one on average, with a memory of %d from interval to interval', (memory) => {
    const random = randomOf(5, memory * 100);
    const length = 300;
    const repeats = 600;
    let squares = 0;
    for (let i = 0; i < repeats; i++)
      squares += (batchError(centred(linked(length, { memory, random }))) ?? NaN) ** 2 / repeats;
    // The variance of the sum of a first-order autoregressive series, except for its ends.
    const truth = (length * (1 + memory)) / (1 - memory);
    // Four standard errors of the mean of 600 such estimates, and a downward bias from the correlation of batches.
    expect(squares / truth).toBeGreaterThan(memory === 0 ? 0.92 : 0.68);
    expect(squares / truth).toBeLessThan(1.08);
  });
});
