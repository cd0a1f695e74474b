import { expect, test } from 'vitest';
import { traceOf } from '../../test/support/drawn-trace.ts';
import { windowTrace } from './window-trace.ts';

const turn = (afterMs: number, waitMs: number | null = null) => ({
  afterMs,
  inputTokens: null,
  outputTokens: null,
  replyMs: 300,
  waitMs,
});
const trace = traceOf([0, 1000, 2000, 3000].map((atMs) => ({ atMs, turns: [turn(0), turn(600, 200)] })));

test('a window has the sessions that start in it, from its first instant and without its last', () => {
  const { count, lengthMs, endMs } = windowTrace(trace, { fromMs: 1000, forMs: 2000, speed: 1 });
  expect([count, lengthMs, endMs]).toEqual([2, 1000, 2000]);
  expect(windowTrace(trace, { fromMs: 2500, forMs: null, speed: 1 })).toMatchObject({ count: 1, endMs: 1100 });
  expect(windowTrace(trace, { fromMs: 9000, forMs: null, speed: 1 })).toMatchObject({
    count: 0,
    lengthMs: 0,
    endMs: 0,
  });
});

test('speed divides all times except reply times', () => {
  const fast = windowTrace(trace, { fromMs: 1000, forMs: null, speed: 2 });
  expect([fast.lengthMs, fast.endMs]).toEqual([1000, 1300]);
  expect(fast.startAt(1)).toEqual({ atMs: 500, lengthMs: 300, turns: 2 });
  expect(fast.at(1)).toMatchObject({ atMs: 500, turns: [{ afterMs: 0 }, { afterMs: 300, waitMs: 100, replyMs: 300 }] });
  expect(() => fast.at(3)).toThrow('a window of 3 sessions has no session 3');
});
