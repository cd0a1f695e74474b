import { expect, test } from 'vitest';
import { sampleIntervals, type GeneratorSample } from './generator-interval.ts';
import { GeneratorSamples } from './generator-samples.ts';

const sampleAt = (second: number): GeneratorSample => ({
  startMs: second * 1000,
  lengthMs: 1000,
  eventLoopDelayP99Ms: second % 7,
  cpuShare: 0.1,
  rssBytes: 80e6 + second,
  heapBytes: 20e6 + (second % 100),
});

test('eight hours of seconds are kept as no more than 1,200 samples, out of which the intervals of the result come', () => {
  const kept = new GeneratorSamples();
  const seconds = Array.from({ length: 28_800 }, (_, second) => sampleAt(second));
  for (const each of seconds) kept.add(each);
  expect(kept.all().length).toBeLessThanOrEqual(1200);
  const truth = sampleIntervals(seconds, 64_000);
  const folded = sampleIntervals(kept.all(), 64_000);
  expect([...folded.keys()]).toEqual([...truth.keys()]);
  for (const [start, { rssBytes, heapBytes, lengthMs }] of truth)
    expect(folded.get(start)).toMatchObject({ rssBytes, heapBytes, lengthMs });
});
