import { expect, it } from 'vitest';
import { logarithmic, placeOn, towardsTail } from './place.ts';

it('gives the way from p90 to p99 the room of that from p99 to p99.9', () => {
  const place = placeOn({ fromPx: 0, toPx: 300 }, [0, 99.9], towardsTail);
  expect([0, 90, 99, 99.9].map((percentile) => Math.round(place(percentile)))).toEqual([0, 100, 200, 300]);
});

it('places a percentile of 100 at a finite distance', () => {
  expect(Number.isFinite(placeOn({ fromPx: 0, toPx: 300 }, [0, 100], towardsTail)(100))).toBe(true);
});

it('places what has no logarithm below all that has one', () => {
  const place = placeOn({ fromPx: 200, toPx: 0 }, [1, 100], logarithmic);
  expect(place(10)).toBeCloseTo(100);
  expect(place(0)).toBeGreaterThan(200);
  expect(place(-5)).toBe(place(0));
});

it('places the single value of an axis in its middle', () => {
  expect(placeOn({ fromPx: 0, toPx: 100 }, [7, 7])(7)).toBe(50);
});
