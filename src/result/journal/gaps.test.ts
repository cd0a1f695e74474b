import { expect, test } from 'vitest';
import { Gaps } from './gaps.ts';

/** Entries of a second each, in this order. */
function gapsOf(numbers: readonly number[]): { gaps: Gaps; isNew: boolean[] } {
  const gaps = new Gaps();
  const isNew = numbers.map((number) => gaps.add(number, { startMs: (number - 1) * 1000, endMs: number * 1000 }));
  return { gaps, isNew };
}

test('nothing is missing of consecutive entries, in any order', () => {
  for (const numbers of [
    [1, 2, 3, 4],
    [4, 3, 2, 1],
    [2, 4, 1, 3],
  ]) {
    const { gaps, isNew } = gapsOf(numbers);
    expect([gaps.missing(), gaps.last, isNew]).toEqual([[], 4, [true, true, true, true]]);
  }
});

test('an existing entry is a duplicate, at the edge of a gap and inside', () => {
  expect(gapsOf([1, 2, 3, 5, 1, 2, 3, 5, 4]).isNew).toEqual([true, true, true, true, false, false, false, false, true]);
});

test('missing entries are named by number and time: before the first, between entries, and before the end', () => {
  const { gaps } = gapsOf([3, 7, 4]);
  expect(gaps.missing({ number: 9, endMs: 9500 })).toEqual([
    { from: 1, to: 2, startMs: 0, endMs: 2000 },
    { from: 5, to: 6, startMs: 4000, endMs: 6000 },
    { from: 8, to: 9, startMs: 7000, endMs: 9500 },
  ]);
  expect(gaps.missing({ number: 7, endMs: 7000 })).toHaveLength(2);
});
