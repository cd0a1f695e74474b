import { expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { Pace } from './pace.ts';

/** When sessions that are due every `gapMs` start, if the generator stands still from `stall.from` for `stall.forMs`. */
function startsWith(gapMs: number, stall: { from: number; forMs: number }, count: number): number[] {
  const pace = new Pace(instant(0));
  let now = 0;
  return Array.from({ length: count }, (_, n) => {
    now = Math.max(now, pace.next(instant(n * gapMs), instant(now)));
    if (now >= stall.from && now < stall.from + stall.forMs) now = stall.from + stall.forMs;
    return now;
  });
}

test('a short stall is made up for at once', () => {
  const starts = startsWith(50, { from: 1000, forMs: 90 }, 100);
  expect(starts.map((start, n) => start - n * 50).filter((late) => late > 0)).toEqual([90, 40]);
});

test('a long stall is made up for at a tenth above the pace, but for the first 100 ms', () => {
  const starts = startsWith(10, { from: 1000, forMs: 1000 }, 1500);
  const startsIn = (from: number, to: number): number => starts.filter((start) => start >= from && start < to).length;
  expect(startsIn(2000, 2001)).toBeLessThanOrEqual(13);
  for (let from = 2200; from < 8000; from += 1000) expect(startsIn(from, from + 1000)).toBeLessThanOrEqual(111);
  expect((starts.at(-1) ?? 0) - 14_990).toBe(0);
});
