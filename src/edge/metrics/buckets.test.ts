import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DenseHistogram } from '../../record/dense-histogram.ts';
import { maxTrackableUs } from '../../record/histogram.ts';
import { explicitCounts, exponentialBuckets } from './buckets.ts';

const sum = (counts: readonly number[]): number => counts.reduce((so, each) => so + each, 0);

function histogramOf(values: readonly number[]) {
  const dense = new DenseHistogram();
  for (const us of values) dense.record(us);
  return { histogram: dense.filled(), maxUs: Math.max(0, ...values) };
}

const durations = fc.array(fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: maxTrackableUs })), {
  minLength: 1,
  maxLength: 200,
});

describe('buckets with fixed bounds', () => {
  const boundaries = [0.000_5, 0.005, 0.07, 1, 100];
  const countsOf = (values: readonly number[]): number[] => {
    const { histogram, maxUs } = histogramOf(values);
    return explicitCounts(histogram, { maxUs, boundaries });
  };

  test('hold every value once', () => {
    fc.assert(fc.property(durations, (values) => sum(countsOf(values)) === values.length));
  });

  test('hold a value of up to a bound below it, but above it where the bound cuts a bucket of the recorder', () => {
    expect(countsOf([500, 501, 69_000, 1_001_000])).toEqual([1, 1, 1, 0, 1, 0]);
    expect(countsOf([70_000, 80_000])).toEqual([0, 0, 0, 2, 0, 0]);
  });

  test('count no value as faster than it was, and none by more than 0.1 % as slower', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const counts = countsOf(values);
        for (const [place, bound] of boundaries.entries()) {
          const below = sum(counts.slice(0, place + 1));
          expect(below).toBeLessThanOrEqual(values.filter((us) => us <= Math.round(bound * 1e6)).length);
          expect(below).toBeGreaterThanOrEqual(values.filter((us) => us <= bound * 1e6 * 0.999 - 1).length);
        }
      }),
    );
  });
});

describe('exponential buckets', () => {
  const bucketsOf = (values: readonly number[]) => {
    const { histogram, maxUs } = histogramOf(values);
    return exponentialBuckets(histogram, maxUs);
  };

  test('hold every value once, zeros separately, in at most 160 buckets', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const { zeroCount, bucketCounts } = bucketsOf(values);
        expect(zeroCount).toBe(values.filter((us) => us === 0).length);
        expect(zeroCount + sum(bucketCounts)).toBe(values.length);
        expect(bucketCounts.length).toBeLessThanOrEqual(160);
      }),
    );
  });

  test('count no value as faster than it was, and none by more than 0.1 % as slower', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const { scale, zeroCount, offset, bucketCounts } = bucketsOf(values);
        for (const place of bucketCounts.keys()) {
          const bound = 2 ** ((offset + place + 1) / 2 ** scale) * 1e6;
          const below = zeroCount + sum(bucketCounts.slice(0, place + 1));
          expect(below).toBeLessThanOrEqual(values.filter((us) => us <= bound * (1 + 1e-9)).length);
          expect(below).toBeGreaterThanOrEqual(values.filter((us) => us <= bound * 0.999 - 1).length);
        }
      }),
    );
  });

  test('are the finest that fit, and widen as values spread', () => {
    expect(bucketsOf([1_000_000, 1_000_000])).toEqual({ scale: 8, zeroCount: 0, offset: -1, bucketCounts: [2] });
    expect(bucketsOf([1, maxTrackableUs])).toMatchObject({ scale: 2 });
    expect(bucketsOf([0])).toEqual({ scale: 8, zeroCount: 1, offset: 0, bucketCounts: [] });
  });
});
