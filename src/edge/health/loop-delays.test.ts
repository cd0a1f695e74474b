import { describe, expect, test } from 'vitest';
import { instant } from '../../base/time.ts';
import { LoopDelays } from './loop-delays.ts';

/** Returns the figures for ticks of the event loop with these gaps, in milliseconds. */
function delaysOf(gaps: readonly number[]): ReturnType<LoopDelays['figures']> {
  const delays = new LoopDelays(instant(0));
  let at = 0;
  for (const gap of gaps) delays.sign(instant((at += gap)));
  return delays.figures();
}

const quiet = (count: number): number[] => Array.from({ length: count }, () => 10);

describe('delays of the event loop', () => {
  test('are the excess over the sampling period', () => {
    const { eventLoopDelayP50Ms, eventLoopDelayP99Ms, eventLoopDelayMaxMs } = delaysOf([
      ...quiet(195),
      13,
      14,
      15,
      15,
      15,
    ]);
    expect(eventLoopDelayP50Ms).toBeLessThan(0.01);
    expect(eventLoopDelayP99Ms).toBeCloseTo(5, 2);
    expect(eventLoopDelayMaxMs).toBeCloseTo(5, 2);
  });

  test('are weighted by their duration: a loop blocked for 1 s of every 10 is late far more than 1 % of the time', () => {
    const tenSeconds = [...quiet(900), 1000];
    const { eventLoopDelayP50Ms, eventLoopDelayP99Ms, eventLoopDelayMaxMs } = delaysOf([...tenSeconds, ...tenSeconds]);
    expect(eventLoopDelayP50Ms).toBeLessThan(0.01);
    // A tenth of all instants are within a pause; a tenth of these more than 900 ms before its end.
    expect(eventLoopDelayP99Ms).toBeGreaterThan(890);
    expect(eventLoopDelayP99Ms).toBeLessThan(910);
    expect(eventLoopDelayMaxMs / 990).toBeCloseTo(1, 2);
  });

  test('are known for a run in which the loop reported only at the end', () => {
    const { eventLoopDelayP50Ms } = delaysOf([2000]);
    expect(eventLoopDelayP50Ms).toBeGreaterThan(980);
  });

  test('end at an hour, after a night of sleep too', () => {
    expect(delaysOf([8 * 3_600_000]).eventLoopDelayMaxMs / 3_600_000).toBeCloseTo(1, 2);
  });
});
