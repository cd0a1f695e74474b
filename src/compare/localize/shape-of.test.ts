import { describe, expect, test } from 'vitest';
import { shapeOf, type ShiftedQuantile } from './shape-of.ts';

const point = (quantile: number, change: number | null, half: number | null = 0.02): ShiftedQuantile => ({
  name: `p${String(Number((quantile * 100).toPrecision(4)))}`,
  quantile,
  margin: quantile < 0.95 ? 0.05 : 0.1,
  base: 100,
  head: 100,
  change,
  ci95: half === null || change === null ? null : { low: change - half, high: change + half },
});

const quantiles = [0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
const shapeBy = (changeAt: (quantile: number) => number) =>
  shapeOf(quantiles.map((each) => point(each, changeAt(each))));

describe('the shape of a change', () => {
  test('is whole when every quantile moved by about the same factor', () => {
    expect(shapeBy(() => 0.15)).toEqual({
      shape: 'whole',
      summary: 'All turn latencies moved: p50 +15.0 %, p99 +15.0 %.',
    });
    expect(shapeBy((quantile) => -0.1 - quantile / 10).shape).toBe('whole');
  });

  test('is the tail when upper quantiles moved and the median did not', () => {
    expect(shapeBy((quantile) => (quantile > 0.9 ? 1.87 : 0.004))).toEqual({
      shape: 'tail',
      summary: 'Only the tail of the turn latencies moved: p50 +0.4 %, p99 +187 %.',
    });
  });

  test('is the tail when it moved far more than the median, or in the opposite direction', () => {
    expect(shapeBy((quantile) => (quantile > 0.9 ? 1.87 : 0.08)).shape).toBe('tail');
    expect(shapeBy((quantile) => (quantile > 0.9 ? 0.3 : -0.3)).shape).toBe('tail');
  });

  test('is the middle when the tail stayed', () => {
    expect(shapeBy((quantile) => (quantile >= 0.25 && quantile <= 0.75 ? 0.2 : 0)).shape).toBe('middle');
  });

  test('is none for changes inside the margin or inside the noise', () => {
    expect(shapeBy(() => 0.03)).toEqual({
      shape: 'none',
      summary: 'No part of the turn latency distribution moved beyond noise and margin: p50 +3.0 %, p99 +3.0 %.',
    });
    expect(shapeOf([point(0.5, 0.2, 0.3), point(0.99, 0.2, 0.3)]).shape).toBe('none');
  });

  test('uses only the change if no interval is known', () => {
    expect(shapeOf([point(0.5, 0, null), point(0.99, 0.5, null)]).shape).toBe('tail');
  });

  test('makes no claim about a tail that could not be measured', () => {
    const upTo = (last: number, changeAt: (quantile: number) => number) =>
      shapeOf(quantiles.filter((each) => each <= last).map((each) => point(each, changeAt(each))));
    expect(upTo(0.5, () => 0.55)).toEqual({
      shape: 'middle',
      summary: 'The middle of the turn latencies moved; the tail could not be measured: p50 +55.0 %.',
    });
    expect(upTo(0.9, () => 0.55).summary).toBe(
      'The middle of the turn latencies moved; the tail could not be measured: p50 +55.0 %, p90 +55.0 %.',
    );
    expect(upTo(0.9, () => 0.01)).toEqual({
      shape: 'none',
      summary:
        'No measurable turn latency moved beyond noise and margin; the tail could not be measured: p50 +1.0 %, p90 +1.0 %.',
    });
    expect(upTo(0.9, (quantile) => (quantile === 0.9 ? 0.4 : 0)).summary).toBe(
      'The latencies around p90 moved; the tail could not be measured: p50 0.0 %, p90 +40.0 %.',
    );
  });

  test('has a decimal digit below 100 %', () => {
    const said = (change: number): string => shapeOf([point(0.5, change)]).summary;
    expect(said(0.9994)).toContain('p50 +99.9 %');
    expect(said(0.9995)).toContain('p50 +100 %');
  });

  test('counts p95 to the tail', () => {
    const upTo95 = quantiles.filter((each) => each <= 0.95);
    expect(shapeOf(upTo95.map((each) => point(each, each === 0.95 ? 0.4 : 0)))).toEqual({
      shape: 'tail',
      summary: 'Only the tail of the turn latencies moved: p50 0.0 %, p95 +40.0 %.',
    });
  });

  test('reports that nothing is known', () => {
    const summary = 'Too few turns for percentiles of all turns';
    expect(shapeOf([])).toEqual({ shape: 'none', summary: `${summary}.` });
    const [first, second] = [
      { ...point(0.5, 0.4), name: 'turn 1' },
      { ...point(0.5, null), name: 'turn 2' },
    ];
    expect(shapeOf([], [second]).summary).toBe(`${summary}.`);
    expect(shapeOf([], [first, second]).summary).toBe(
      `${summary}; the medians by position are those of the whole runs.`,
    );
  });
});
