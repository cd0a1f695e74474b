import { expect, test } from 'vitest';
import { positionIndex, positionText, type Position } from './positions.ts';

test('turns are kept by position: 1, 2, 3-4, 5-8, 9-16, 17 and later', () => {
  const edges = [1, 2, 3, 4, 5, 8, 9, 16, 17, 1000];
  expect(edges.map(positionIndex)).toEqual([0, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
});

test.each<[Position, number, string]>([
  ['2', 3, '2'],
  ['3-4', 3, '3'],
  ['3-4', 4, '3-4'],
  ['5-8', 7, '5-7'],
  ['5-8', Infinity, '5-8'],
  ['9-16', 9, '9'],
  ['17+', 17, '17'],
  ['17+', 20, '17-20'],
  ['17+', Infinity, '17+'],
])('position %s in sessions of at most %d turns is %s', (position, longest, text) => {
  expect(positionText(position, longest)).toBe(text);
});
