import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketCount, fullHdr } from '../../../test/support/bombs.ts';
import { storedOf } from '../../../test/support/release-run.ts';
import { quantileOf } from '../../record/histogram.ts';
import { UnreadableHistogram } from '../../record/sparse-histogram.ts';
import { countsBelow, openSeries, openStored } from './series-window.ts';

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const values = fc.array(fc.integer({ min: 1, max: 100_000_000 }), { maxLength: 60 });
const parts = fc.array(values, { minLength: 1, maxLength: 8 }).filter((parts) => parts.some((part) => part.length > 0));
const open = (parts: readonly (readonly number[])[]) =>
  openSeries(
    parts.map((part) => ({
      lengthMs: 1000,
      counts: new Map(),
      series: part.length === 0 ? new Map() : new Map([['turn.ok', storedOf(part)]]),
    })),
    'turn.ok',
  );

describe('a series over segments', () => {
  test('takes 600 intervals of several parts whose histograms fill all their buckets, and no more than any run has', () => {
    const stored = { count: bucketCount, sumMs: 1, hdr: fullHdr() };
    const of = (length: number, parts = [stored, stored]) => openStored(Array.from({ length }, () => parts));
    expect(of(600).count).toBe(600 * 2 * bucketCount);
    expect(() => of(900, [stored])).toThrow(UnreadableHistogram);
  });

  test('has the share of values below a quantile, whatever the bucket', () => {
    fc.assert(
      fc.property(parts, fc.double({ min: 0, max: 1, noNaN: true }), (parts, quantile) => {
        const window = open(parts);
        expect(sumOf(countsBelow(window, quantile))).toBeCloseTo(quantile * window.count, 6);
      }),
    );
  });

  test('counts the values below in each segment: whole buckets, and a partial one', () => {
    // The median is in the middle of the bucket of 300 µs, which contains two values.
    const window = open([[100, 300], [], [300, 500], [100, 500]]);
    expect(quantileOf(window.whole, 0.5) * 1000).toBeCloseTo(300.5, 9);
    expect(countsBelow(window, 0.5)).toEqual([1.5, 0, 0.5, 1]);
  });

  test('has quantiles that are within the values and rise', () => {
    fc.assert(
      fc.property(parts, (parts) => {
        const all = parts.flat();
        const { whole, count, sumMs } = open(parts);
        const quantiles = [0, 0.1, 0.5, 0.9, 1].map((quantile) => quantileOf(whole, quantile) * 1000);
        expect(quantiles).toEqual(quantiles.toSorted((a, b) => a - b));
        expect(quantiles[0]).toBeGreaterThanOrEqual(Math.min(...all) * 0.999);
        expect(quantiles[4]).toBeLessThanOrEqual(Math.max(...all) * 1.001 + 1);
        expect(count).toBe(all.length);
        expect(sumMs).toBeCloseTo(sumOf(all) / 1000, 6);
      }),
    );
  });
});
