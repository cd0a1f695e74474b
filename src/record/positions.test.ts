import { expect, test } from 'vitest';
import { positionIndex } from './positions.ts';

test('turns are kept by position: 1, 2, 3-4, 5-8, 9-16, 17 and later', () => {
  const edges = [1, 2, 3, 4, 5, 8, 9, 16, 17, 1000];
  expect(edges.map(positionIndex)).toEqual([0, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
});
