import fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { expect, test } from 'vitest';
import { DenseHistogram, HistogramPool } from './dense-histogram.ts';
import { encodeHistogram, layout, maxTrackableUs, writeSparse } from './histogram.ts';
import { indexOf, lowestOf } from './sparse-histogram.ts';
import { ms } from '../base/time.ts';
import { Archive } from './archive.ts';
import { Partition } from './partition.ts';

const value = fc.oneof(
  fc.constantFrom(0, 1, 2047, 2048, 4095, 4096, 2 ** 31 - 1, 2 ** 31, maxTrackableUs),
  fc.double({ min: 0, max: Math.log(maxTrackableUs), noNaN: true }).map((power) => Math.floor(Math.exp(power))),
);
const values = fc.array(value, { maxLength: 200 });

test('records byte for byte like the library', () => {
  fc.assert(
    fc.property(values, values, (some, more) => {
      const histogram = build(layout);
      for (const us of [...some, ...more]) histogram.recordValue(us);
      const [first, second] = [some, more].map((part) => {
        const dense = new DenseHistogram();
        for (const us of part) dense.record(us);
        return dense;
      });
      if (first === undefined || second === undefined) throw new Error('two parts');
      first.add(second);
      expect(writeSparse(first.filled())).toBe(encodeHistogram(histogram));
      expect(first.filled().total).toBe(histogram.totalCount);
    }),
    { numRuns: 100 },
  );
});

test('a sum of filled buckets equals the sum of their histograms', () => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 5 }), (parts) => {
      const [all, sum] = [new DenseHistogram(), new DenseHistogram()];
      for (const part of parts) {
        const dense = new DenseHistogram();
        for (const us of part) [all, dense].forEach((each) => each.record(us));
        sum.addSparse(dense.filled());
      }
      expect(sum.filled()).toEqual(all.filled());
    }),
    { numRuns: 100 },
  );
});

test('a cleared histogram is empty, and can be filled again', () => {
  const histogram = new DenseHistogram();
  histogram.clear();
  for (const us of [3, 700_000, maxTrackableUs]) histogram.record(us);
  histogram.clear();
  expect(histogram.filled().total).toBe(0);
  histogram.record(5);
  expect(histogram.filled()).toEqual({ indexes: Int32Array.of(5), counts: Float64Array.of(1), total: 1 });
});

test('a value is in the bucket that begins at or below it, and below the next', () => {
  fc.assert(
    fc.property(value, (us) => {
      const index = indexOf(us);
      return lowestOf(index) <= us && us < lowestOf(index + 1);
    }),
  );
});

test('a returned histogram is empty for the next use', () => {
  const pool = new HistogramPool();
  const first = pool.take();
  first.record(5);
  pool.release(first);
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
