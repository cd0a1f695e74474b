import { expect, it } from 'vitest';
import { nearestIndex } from './aligned.ts';

it('finds the time nearest to an instant, the earlier of two as near', () => {
  expect([-5, 0, 14, 15, 16, 99].map((at) => nearestIndex([0, 10, 20], at))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(nearestIndex([], 5)).toBeNull();
});
