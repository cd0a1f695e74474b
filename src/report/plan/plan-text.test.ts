import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import type { Load, Plan, Segment } from '../../plan/plan.ts';
import { scheduleText } from './plan-text.ts';

/** 40 sessions in 10 s: 6 per second at first, then none, then 14 per second at the end. */
const segments: Segment[] = [
  { startMs: ms(0), endMs: ms(4000), from: 6.5, to: 6.5 },
  { startMs: ms(4000), endMs: ms(9000), from: 0, to: 0 },
  { startMs: ms(9000), endMs: ms(10_000), from: 14, to: 14 },
  { startMs: ms(10_000), endMs: null, from: 0, to: 0 },
];

test.each([
  [10_000, '40 sessions over 10.0 s, peak 14/s (over 1.00 s from 9.00 s)'],
  [2000, 'about 13 of 40 sessions over 2.00 s, peak 6.50/s (over 2.00 s from 0 ms)'],
])('the schedule of a trace that is replayed for %d ms covers this time', (durationMs, said) => {
  const load = { model: 'open', segments, trace: { sessions: 40 } } as unknown as Load;
  expect(scheduleText({ load, durationMs: ms(durationMs), sessions: null } as Plan)).toBe(said);
});
