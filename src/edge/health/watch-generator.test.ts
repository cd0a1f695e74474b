import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { watchGenerator, watchIntervals } from './watch-generator.ts';

const exhausted = { descriptorsExhausted: 2, portsExhausted: 1 };

afterEach(() => vi.restoreAllMocks());

/** Keeps the event loop from doing anything else. */
function block(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

test('a process that computes without a break is measured as late and busy', async () => {
  const watch = watchGenerator();
  for (let n = 0; n < 4; n++) {
    block(100);
    await sleep(1);
  }
  const health = watch.end(exhausted);
  expect(health.eventLoopDelayMaxMs).toBeGreaterThan(85);
  expect(health.eventLoopDelayP50Ms).toBeGreaterThan(25);
  expect(health.eventLoopBusyMax).toBeGreaterThan(0.5);
  expect(health.cpuShareMax).toBeGreaterThan(0);
  expect(health).toMatchObject(exhausted);
});

test('a loop that is still blocked when the watch ends is measured', () => {
  const watch = watchGenerator();
  block(60);
  expect(watch.end(exhausted).eventLoopDelayMaxMs).toBeGreaterThan(45);
});

test('pauses for garbage collection are added up, and the longest is kept', async () => {
  const watch = watchGenerator();
  let kept: unknown[] = [];
  for (let n = 0; n < 8; n++) {
    kept = [
      ...kept.slice(-200_000),
      ...Array.from({ length: 100_000 }, (_, i) => ({ n: i, text: `text ${String(i)}` })),
    ];
    await sleep(1);
  }
  const { gcPauseTotalMs, gcPauseMaxMs, gcPauseShare } = watch.end(exhausted);
  expect(kept.length).toBeGreaterThan(0);
  expect(gcPauseMaxMs).toBeGreaterThan(0);
  expect(gcPauseTotalMs).toBeGreaterThan(gcPauseMaxMs);
  expect(gcPauseShare).toBeGreaterThan(0);
  expect(gcPauseShare).toBeLessThan(1);
});

test('a process without a file descriptor left continues, although its memory cannot be read', () => {
  const rss = vi.spyOn(process.memoryUsage, 'rss');
  rss.mockImplementation(() => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  const health = watchGenerator().end(exhausted);
  expect(health.rssMaxBytes).toBe(0);
  expect(health.heapMaxBytes).toBeGreaterThan(1e6);
  rss.mockImplementation(() => {
    throw new Error('something else');
  });
  const watch = watchGenerator();
  expect(() => watch.end(exhausted)).toThrow('something else');
});

test('interim readings are reported, and do not change the final one', async () => {
  const watch = watchGenerator();
  block(60);
  const before = watch.soFar(exhausted);
  await sleep(20);
  const after = watch.soFar(exhausted);
  const end = watch.end(exhausted);
  expect(before).toMatchObject(exhausted);
  expect(after.eventLoopDelayMaxMs).toBeGreaterThan(45);
  expect(end.eventLoopDelayMaxMs).toBeGreaterThanOrEqual(after.eventLoopDelayMaxMs);
  // A short run is its own peak, whatever its first part.
  expect(end.cpuShareMax).toBe(end.cpuShare);
});

test('distinguishes a second with a blocked event loop from one without', async () => {
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
