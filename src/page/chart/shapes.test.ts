import { expect, it } from 'vitest';
import { bandPath, linePath, markerPath, stepPath, whiskerPath } from './shapes.ts';

const dot = (x: number, y: number, half: number | null = null) => ({
  x,
  y,
  low: half === null ? null : y + half,
  high: half === null ? null : y - half,
});

it('draws a line from point to point', () => {
  expect(linePath([dot(0, 5), dot(10, 7)])).toBe('M0.0,5.0L10.0,7.0');
});

it('keeps each value of a step until the next, and the last to the end', () => {
  expect(stepPath([dot(0, 5), dot(10, 7)], 20)).toBe('M0.0,5.0H10.0V7.0H20.0');
  expect(stepPath([], 20)).toBe('');
});

it('breaks a band if a point has no interval', () => {
  const band = bandPath([dot(0, 5, 1), dot(1, 5, 1), dot(2, 5), dot(3, 5, 1), dot(4, 5, 1)]);
  expect(band.match(/Z/g)).toHaveLength(2);
  expect(band.startsWith('M0.0,4.0L1.0,4.0L1.0,6.0L0.0,6.0Z')).toBe(true);
});

it('draws no whisker without an interval', () => {
  expect(whiskerPath([dot(0, 5)])).toBe('');
  expect(whiskerPath([dot(0, 5, 2)])).toContain('M0.0,7.0L0.0,3.0');
});

it('uses markers of different shape for five series', () => {
  expect(new Set([0, 1, 2, 3, 4].map((index) => markerPath(index, { x: 0, y: 0 }, 4))).size).toBe(5);
});

it('uses a separate marker for a series with the dash pattern of another', () => {
  const signOf = (index: number) => markerPath(index, { x: 0, y: 0 }, 4);
  for (const index of [0, 1, 2, 3, 4]) expect(signOf(index + 5)).not.toBe(signOf(index));
});
