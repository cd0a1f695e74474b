import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchIntervals } from './watch-generator.ts';

test('a second in which the event loop stood still differs from one in which it did not', async () => {
  const watch = watchIntervals();
  await sleep(20);
  const until = performance.now() + 1300;
  while (performance.now() < until);
  await sleep(5);
  const early = watch.fresh();
  const samples = watch.end();
  expect([...early, ...watch.fresh()]).toEqual(samples);
  expect(watch.fresh()).toEqual([]);
  expect(samples.length).toBeGreaterThan(0);
  expect(samples.reduce((sum, { lengthMs }) => sum + lengthMs, 0)).toBeGreaterThan(1300);
  expect(Math.max(...samples.map(({ eventLoopDelayP99Ms }) => eventLoopDelayP99Ms))).toBeGreaterThan(1000);
  for (const { rssBytes, heapBytes, cpuShare } of samples) {
    expect(rssBytes).toBeGreaterThan(heapBytes);
    expect(heapBytes).toBeGreaterThan(1e6);
    expect(cpuShare).toBeGreaterThanOrEqual(0);
  }
});
