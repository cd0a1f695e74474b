import { expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import { levelsOf } from './replay.ts';

/** Sessions so far apart, from 0 on, the last one just before the end. */
function peakOf(count: number, apartMs: number): number {
  const levels = levelsOf(ms((count - 1) * apartMs + 1));
  for (let index = 0; index < count; index++) levels.add(index * apartMs);
  return Math.max(...levels.segments().map(({ to }) => to));
}

test.each([
  [601, 1000, 1],
  [86_401, 1000, 1],
  [5, 10_000, 1],
  [10, 500, 2],
  [101, 100, 10],
  [11, 12_345.678, 0.5],
])('%d sessions %d ms apart have a peak of %d per second', (count, apartMs, perSecond) => {
  expect(peakOf(count, apartMs)).toBeCloseTo(perSecond, 9);
});

test('sessions that start together are those of a second', () => {
  const levels = levelsOf(ms(1));
  for (let index = 0; index < 20; index++) levels.add(0);
  expect(levels.segments()).toEqual([
    { startMs: 0, endMs: 1, from: 20, to: 20 },
    { startMs: 1, endMs: null, from: 0, to: 0 },
  ]);
});

test('a burst in a last step that is cut short keeps its height', () => {
  const levels = levelsOf(ms(130_500));
  for (let index = 0; index < 30; index++) levels.add(130_000 + index);
  expect(levels.segments().at(-2)).toEqual({ startMs: 130_000, endMs: 130_500, from: 15, to: 15 });
});
