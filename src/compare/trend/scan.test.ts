import { describe, expect, test } from 'vitest';
import cases from '../../../test/fixtures/change-points.json' with { type: 'json' };
import { scaleOf } from '../metrics/metric-rules.ts';
import { findChangePoints, type ScanOptions } from './scan.ts';
import { latencyRule, shareRule } from '../../../test/support/sample-nights.ts';

const alert: ScanOptions = { alpha: 0.001, margin: 0, scale: scaleOf(latencyRule) };

/** Test vector of the method's design. */
const vector = [
  0.011, -0.02, 0.013, 0.004, -0.017, 0.021, -0.006, 0.009, -0.012, 0.016, -0.003, 0.008, -0.014, 0.002, 0.019, -0.009,
  0.005, -0.018, 0.012, 0.001, 0.105, 0.088, 0.097,
];

describe('the scan', () => {
  test('finds the change of the test vector, with its t and p', () => {
    const found = findChangePoints(vector, alert);
    expect(found.map(({ index }) => index)).toEqual([20]);
    expect(found[0]?.t).toBeCloseTo(6.98, 3);
    expect(found[0]?.p).toBeCloseTo(1.007877e-5, 10);
  });

  // Made by the simulation in Python (numpy): its change points, and index, t and p of its first split.
  test.each(cases)('finds the same change points as the simulation: $kind', ({ points, at001, at005, first }) => {
    const indexesAt = (alpha: number) => findChangePoints(points, { ...alert, alpha }).map(({ index }) => index);
    expect([indexesAt(0.001), indexesAt(0.005)]).toEqual([at001, at005]);
    const split = findChangePoints(points, { ...alert, alpha: 1 }).find(({ index }) => index === first?.index);
    expect(split?.t ?? 0).toBeCloseTo(first?.t ?? 0, 6);
    expect(split?.p ?? 0).toBeCloseTo(first?.p ?? 0, 8);
  });

  test('ignores changes below the margin', () => {
    expect(findChangePoints(vector, { ...alert, margin: 0.09 })).toHaveLength(1);
    expect(findChangePoints(vector, { ...alert, margin: 0.12 })).toEqual([]);
  });

  test('finds nothing among fewer than ten points, or before three points follow a change', () => {
    const step = (before: number, after: number) => [...vector.slice(0, before), ...Array<number>(after).fill(0.5)];
    expect(findChangePoints(step(6, 3), alert)).toEqual([]);
    expect(findChangePoints(step(20, 2), alert)).toEqual([]);
    expect(findChangePoints(step(20, 3), alert)).toHaveLength(1);
  });

  test('detects a step in a flat series, whose median distance is 0', () => {
    const flat = Array<number>(20).fill(0.01);
    expect(findChangePoints(flat, alert)).toEqual([]);
    expect(findChangePoints([...flat, 0.2, 0.25, 0.22], alert).map(({ index }) => index)).toEqual([20]);
    expect(findChangePoints([...flat, 0.01, 0.2, 0.01], alert)).toEqual([]);
  });

  test('returns a t interval for the ratio of the two segments', () => {
    // scipy.stats.ttest_ind(vector[20:], vector[:20]).confidence_interval(), through expm1.
    const [found] = findChangePoints(vector, alert);
    expect(found?.change).toBeCloseTo(0.10028217, 7);
    expect(found?.ci95.low).toBeCloseTo(0.08271205, 7);
    expect(found?.ci95.high).toBeCloseTo(0.11813742, 7);
  });

  test('widens the interval if neighbouring points are correlated', () => {
    const slow = Array.from({ length: 40 }, (_, at) => 0.02 * Math.sin(at / 2) + (at < 20 ? 0 : 0.3));
    const fast = Array.from({ length: 40 }, (_, at) => 0.02 * Math.sin(at * 2) + (at < 20 ? 0 : 0.3));
    const width = (points: readonly number[]) => {
      const [found] = findChangePoints(points, alert);
      return (found?.ci95.high ?? NaN) - (found?.ci95.low ?? NaN);
    };
    expect(width(slow) / width(fast)).toBeGreaterThan(1.7);
  });

  test('reports changes of a share in absolute terms', () => {
    const level = (share: number) => 2 * Math.sqrt(share);
    const points = [...Array<number>(12).fill(level(0.01)), ...Array<number>(4).fill(level(0.03))];
    const options = { alpha: 0.001, scale: scaleOf(shareRule) };
    const [found] = findChangePoints(points, { ...options, margin: 0.019 });
    expect(found?.index).toBe(12);
    expect(found?.change).toBeCloseTo(0.02, 9);
    expect(findChangePoints(points, { ...options, margin: 0.021 })).toEqual([]);
  });
});
