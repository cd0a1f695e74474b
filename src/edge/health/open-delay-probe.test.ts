import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { patient } from '../../../test/support/deadline.ts';
import { openDelayProbe } from './open-delay-probe.ts';

test('a probe shows how long the event loop was blocked, and ends when it is closed', async () => {
  const probe = openDelayProbe();
  const delays: number[] = [];
  const stop = probe.follow((sentAt, readAt) => delays.push(readAt - sentAt));
  await vi.waitUntil(() => delays.length >= 5, { ...patient, interval: 5 });
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  const until = performance.now() + 300;
  while (performance.now() < until);
  await vi.waitUntil(() => Math.max(...delays) > 150, { ...patient, interval: 5 });
  expect(probe.figures().readDelayMaxMs).toBeGreaterThan(150);
  expect(probe.figures().readDelayP50Ms).toBeLessThan(150);
  stop();
  const { length } = delays;
  await sleep(60);
  await probe.close();
  expect(delays).toHaveLength(length);
});
