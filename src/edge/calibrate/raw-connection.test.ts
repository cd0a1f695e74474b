import { describe, expect, test } from 'vitest';
import { ConnectionPace } from './raw-connection.ts';

function paceOf(answers: readonly (readonly [at: number, ok: boolean])[], endedAt: number): number {
  const pace = new ConnectionPace(0);
  for (const [at, ok] of answers) pace.answer(at, ok);
  return pace.perSecond(endedAt);
}

const every = (gapMs: number, count: number, firstAt = gapMs): (readonly [number, boolean])[] =>
  Array.from({ length: count }, (_, index) => [firstAt + index * gapMs, true] as const);

describe('the pace of a connection', () => {
  test('is one over the reply time, at any end', () => {
    expect(paceOf(every(200, 9), 1800)).toBeCloseTo(5);
    expect(paceOf(every(200, 9), 1999)).toBeCloseTo(5);
  });

  test('omits the time that the first answer needed for its connection', () => {
    expect(paceOf(every(200, 5, 700), 1500)).toBeCloseTo(5);
  });

  test('counts a stall at the end', () => {
    expect(paceOf(every(100, 5), 2100)).toBeCloseTo(2);
  });

  test('counts only answers that were ok, over the time of all', () => {
    const answers = every(100, 10).map(([at], index) => [at, index < 4] as const);
    expect(paceOf(answers, 1000)).toBeCloseTo(3 / 0.9);
  });

  test('uses the time of a single answer, and is zero without answers', () => {
    expect(paceOf([[500, true]], 900)).toBeCloseTo(2);
    expect(paceOf([[500, false]], 900)).toBe(0);
    expect(paceOf([], 900)).toBe(0);
  });
});
