import { expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import { Archive } from './archive.ts';
import { HistogramPool } from './histogram-pool.ts';
import { Partition } from './partition.ts';

test('a histogram that was given back comes empty to the next', () => {
  const pool = new HistogramPool();
  const first = pool.take();
  first.record(5);
  pool.give(first);
  const second = pool.take();
  expect(second).toBe(first);
  expect(second.filled().total).toBe(0);
  expect(pool.take()).not.toBe(second);
  expect(pool.size).toBe(2);
});

test('intervals hand their histograms on, so that a long run needs no more than a short one', () => {
  const pool = new HistogramPool();
  const partition = new Partition(pool, { warmUp: false, policy: 0 });
  const waiting: (() => void)[] = [];
  const archive = new Archive({
    workers: ['main'],
    warmUpMs: 0,
    defer: (run) => waiting.push(run),
    onInterval: undefined,
  });
  const recordSecond = (second: number): void => {
    partition.at(second * 1000).series.firstByte.record(ms(1));
    partition.at(second * 1000).series.lateness.record(ms(1));
    for (const live of partition.takeEnded(second * 1000))
      archive.put({ startMs: live.from, tallies: [{ partition, live }], levels: [], examples: [], violations: [] });
    while (waiting.length > 0) waiting.shift()?.();
  };
  for (let second = 0; second < 3; second++) recordSecond(second);
  const { size } = pool;
  for (let second = 3; second < 300; second++) recordSecond(second);
  expect(pool.size).toBe(size);
  expect(partition.total.series.lateness.store()?.count).toBe(299);
});
