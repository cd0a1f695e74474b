import { expect, it, describe } from 'vitest';
import { logarithmic, placeOn, towardsTail } from './area.ts';
import { durationTicks, linearTicks, logTicks, percentileTicks } from './scales.ts';

it('makes p90 to p99 as wide as p99 to p99.9', () => {
  const place = placeOn({ fromPx: 0, toPx: 300 }, [0, 99.9], towardsTail);
  expect([0, 90, 99, 99.9].map((percentile) => Math.round(place(percentile)))).toEqual([0, 100, 200, 300]);
});

it('places a percentile of 100 at a finite distance', () => {
  expect(Number.isFinite(placeOn({ fromPx: 0, toPx: 300 }, [0, 100], towardsTail)(100))).toBe(true);
});

it('places values without a logarithm below all others', () => {
  const place = placeOn({ fromPx: 200, toPx: 0 }, [1, 100], logarithmic);
  expect(place(10)).toBeCloseTo(100);
  expect(place(0)).toBeGreaterThan(200);
  expect(place(-5)).toBe(place(0));
});

it('places the single value of an axis in its middle', () => {
  expect(placeOn({ fromPx: 0, toPx: 100 }, [7, 7])(7)).toBe(50);
});

describe('logTicks', () => {
  it('names 1, 2 and 5 of each decade if all nine do not fit', () => {
    expect(logTicks([10, 1000], 0.1)).toEqual([10, 20, 50, 100, 200, 500, 1000]);
  });
  it('names decades alone if no more fits', () => {
    expect(logTicks([0.1, 100_000], 0.1)).toEqual([0.1, 1, 10, 100, 1000, 10_000, 100_000]);
  });
  it('takes even steps within a part of a decade that has no round value but one', () => {
    expect(logTicks([510, 590], 0.1)).toEqual([520, 540, 560, 580]);
  });
  it('keeps the upper values of a decade apart', () => {
    expect(logTicks([19, 120], 0.08)).toEqual([20, 50, 100]);
  });
  it('stays within the axis', () => {
    for (const value of logTicks([37, 4100], 0.05)) expect(value >= 37 && value <= 4100).toBe(true);
  });
});

describe('durationTicks', () => {
  it('steps as a clock does', () => {
    expect(durationTicks([0, 600_000], 6)).toEqual([0, 120_000, 240_000, 360_000, 480_000, 600_000]);
  });
  it('begins at a round instant if a part of a run is shown', () => {
    expect(durationTicks([61_500, 66_200], 5)).toEqual([62_000, 63_000, 64_000, 65_000, 66_000]);
  });
  it('returns one instant if the axis has no length', () => {
    expect(durationTicks([5, 5], 4)).toEqual([5]);
  });
  it('steps through eight hours by hours', () => {
    expect(durationTicks([0, 28_800_000], 4)).toEqual([0, 7_200_000, 14_400_000, 21_600_000, 28_800_000]);
  });
});

it('names percentiles as far as the axis goes', () => {
  expect(percentileTicks([0, 99.95])[0]).toEqual([0, 50, 75, 90, 99, 99.9]);
  expect(percentileTicks([5, 95])[0]).toEqual([50, 75, 90]);
});

it('returns at least two steps for a linear axis that is too short for them', () => {
  expect(linearTicks([0, 10], 0.5)).toEqual([0, 5, 10]);
});
