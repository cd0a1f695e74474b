import { expect, test } from 'vitest';
import { markline, sparkline } from './bars.ts';

test('rises with the values, and fills the height', () => {
  expect(sparkline({ values: [0, 1, 2, 3, 4, 5, 6], max: 8, minRange: 0 })).toBe('▁▂▃▄▅▆▇');
});

test('draws a block for every value, whatever rounding does to the minimum', () => {
  for (const values of [
    [0.1, 0.3],
    [0.7, 1.1],
    [199.97, 200.31, 201.4],
    [0.67, 0.73, 0.81],
  ])
    for (const minRange of [0, 0.01, 0.1]) expect(sparkline({ values, max: 8, minRange })).toHaveLength(values.length);
});

test('stays flat if values vary by less than the minimum range', () => {
  expect(new Set(sparkline({ values: [100, 101, 100, 101], max: 8, minRange: 20 })).size).toBe(1);
  expect(sparkline({ values: [5, 5, 5], max: 8, minRange: 0 })).toBe('▄▄▄');
});

test('merges neighbours from the end if there is no room, and leaves gaps', () => {
  expect(sparkline({ values: [0, 4, 4, 8, 8], max: 3, minRange: 0 })).toBe('▁▄▇');
  expect(sparkline({ values: [0, null, 1], max: 3, minRange: 0 })).toBe('▁ ▇');
  expect(sparkline({ values: Array<number>(60).fill(1), max: 20, minRange: 0 })).toHaveLength(20);
});

test('marks are below the blocks that they belong to', () => {
  expect(markline([0, 2, 0, 0, null], 8)).toBe('·!·· ');
  expect(markline([0, 1, 0, 0, 0], 3)).toBe('·!·');
});
