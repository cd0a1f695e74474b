import { expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import { levelsOf } from './replay.ts';

const times = (count: number, timeOf: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => timeOf(index));

test.each([
  [601, 1000, 1],
  [86_401, 1000, 1],
  [5, 10_000, 1],
  [10, 500, 2],
  [101, 100, 10],
  [11, 12_345.678, 0.5],
])('%d sessions %d ms apart have a peak of %d per second', (count, apartMs, perSecond) => {
  const levels = levelsOf(
    times(count, (index) => index * apartMs),
    ms((count - 1) * apartMs + 1),
  );
  expect(Math.max(...levels.map(({ to }) => to))).toBeCloseTo(perSecond, 9);
});

test('sessions that start together share one second', () => {
  expect(
    levelsOf(
      times(20, () => 0),
      ms(1),
    ),
  ).toEqual([
    { startMs: 0, endMs: 1, from: 20, to: 20 },
    { startMs: 1, endMs: null, from: 0, to: 0 },
  ]);
});

test('a burst in a shorter last step keeps its height', () => {
  const levels = levelsOf(
    times(30, (index) => 130_000 + index),
    ms(130_500),
  );
  expect(levels.at(-2)).toEqual({ startMs: 130_000, endMs: 130_500, from: 15, to: 15 });
});
