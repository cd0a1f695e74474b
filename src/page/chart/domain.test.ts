import { describe, expect, it } from 'vitest';
import { airy, baselined, nearValues, robustDomain } from './domain.ts';

const spread = (value: number, half: number) => ({ value, low: value - half, high: value + half });

describe('robustDomain', () => {
  it('shows all intervals in full if none is out of proportion', () => {
    expect(robustDomain([spread(0.01, 0.02), spread(-0.02, 0.03)], [-0.02, 0, 0.01])).toEqual([-0.05, 0.03]);
  });
  it('cuts one extreme interval so that the others stay legible', () => {
    const [min, max] = robustDomain([spread(1, 2), spread(0, 2), spread(10, 4000)], [0, 1, 10]) ?? [0, 0];
    expect([min, max]).toEqual([-10, 20]);
  });
  it('cuts it among two rows', () => {
    expect(robustDomain([spread(1, 1), spread(1, 1000)], [0, 1])?.[1]).toBe(5);
  });
  it('always shows its core, whatever the intervals are', () => {
    expect(robustDomain([spread(100, 1), spread(9000, 2)], [100, 9000])).toEqual([99, 9002]);
  });
  it('shows a single interval in full', () => {
    expect(robustDomain([spread(5, 2)], [5])).toEqual([3, 7]);
  });
  it('omits ends that are not finite', () => {
    expect(robustDomain([{ value: 1, low: -Infinity, high: 2 }], [0])).toEqual([0, 2]);
  });
  it('is null without rows', () => {
    expect(robustDomain([], [])).toBeNull();
  });
});

describe('nearValues', () => {
  it('keeps a tail that moved far more than the middle', () => {
    const spreads = [spread(0.004, 0.02), spread(0.02, 0.03), spread(0.18, 0.04), spread(1.92, 0.5)];
    expect(nearValues(spreads, 0, 0)).toEqual([0.004, 0.02, 0.18, 1.92]);
  });
  it('omits a value that would make all others invisible', () => {
    expect(nearValues([spread(0.01, 0.02), spread(0, 0.02), spread(80, 1)], 0, 0.05)).toEqual([0.01, 0]);
  });
});

describe('baselined', () => {
  it('starts at 0', () => {
    expect(baselined([20, 95])).toEqual([0, 100]);
  });
  it('starts at 0 if all values are the same', () => {
    expect(baselined([10, 10])).toEqual([0, 10]);
    expect(baselined([0.01, 0.010000000000000002])[0]).toBe(0);
  });
  it('does not blow up the noise of values that hardly differ', () => {
    const [min, max] = baselined([1000, 1001]);
    expect(max - min).toBeGreaterThan(100);
  });
  it('starts near values that are close to each other', () => {
    const [min, max] = baselined([1000, 1080]);
    expect(min).toBeGreaterThan(850);
    expect(max).toBeLessThan(1250);
  });
  it('includes values below 0, and 0', () => {
    expect(baselined([-8, -2])).toEqual([-8, 0]);
  });
  it('has a width if all values are 0', () => {
    expect(baselined([0, 0])).toEqual([0, 1]);
  });
});

it('widens a single value', () => {
  expect(airy([200, 200])).toEqual([180, 220]);
  expect(airy([0, 0])).toEqual([-1, 1]);
});
