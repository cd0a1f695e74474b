import { expect, test } from 'vitest';
import { sampleIntervals, type GeneratorSample, GeneratorSamples } from './generator-health.ts';

const sample = (startMs: number, rest: Partial<GeneratorSample> = {}): GeneratorSample => ({
  startMs,
  lengthMs: 1000,
  rssBytes: 80e6,
  heapBytes: 20e6,
  eventLoopDelayP99Ms: 2,
  cpuShare: 0.1,
  ...rest,
});

test('samples of one interval become one: the maximum memory, the minimum heap, means over time of the rest', () => {
  const joined = sampleIntervals(
    [
      sample(0, { rssBytes: 90e6, heapBytes: 30e6 }),
      sample(1000, { lengthMs: 3000, eventLoopDelayP99Ms: 6, cpuShare: 0.5 }),
      sample(4000),
    ],
    4000,
  );
  expect([...joined.keys()]).toEqual([0, 4000]);
  const first = joined.get(0);
  expect(first).toMatchObject({ lengthMs: 4000, rssBytes: 90e6, heapBytes: 20e6, eventLoopDelayP99Ms: 5 });
  expect(first?.cpuShare).toBeCloseTo(0.4, 12);
});

test('joining in steps equals joining at once', () => {
  const samples = Array.from({ length: 37 }, (_, at) =>
    sample(at * 1000, { rssBytes: 1e6 * ((at * 7) % 11), heapBytes: 1e6 * ((at * 5) % 13), cpuShare: (at % 5) / 10 }),
  );
  const atOnce = sampleIntervals(samples, 8000);
  const inSteps = sampleIntervals(
    [...sampleIntervals([...sampleIntervals(samples, 2000).values()], 4000).values()],
    8000,
  );
  expect([...inSteps.keys()]).toEqual([...atOnce.keys()]);
  for (const [start, { cpuShare, ...rest }] of atOnce) {
    expect(inSteps.get(start)).toMatchObject({ ...rest });
    expect(inSteps.get(start)?.cpuShare).toBeCloseTo(cpuShare, 12);
  }
});

const sampleAt = (second: number): GeneratorSample => ({
  startMs: second * 1000,
  lengthMs: 1000,
  eventLoopDelayP99Ms: second % 7,
  cpuShare: 0.1,
  rssBytes: 80e6 + second,
  heapBytes: 20e6 + (second % 100),
});

test('eight hours of seconds are kept as at most 1,200 samples, from which the intervals are built', () => {
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
