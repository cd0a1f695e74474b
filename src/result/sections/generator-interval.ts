import { z } from 'zod';
import { startOf } from '../../record/interval-width.ts';
import { durationMs, longestRunMs, sizeBytes } from '../../base/field.ts';

/** The load on the generator in an interval. */
export const generatorIntervalSchema = z.object({
  rssBytes: sizeBytes('The most memory that the process used'),
  heapBytes: sizeBytes('The least that its JavaScript heap used: what a collection leaves'),
  eventLoopDelayP99Ms: durationMs(
    'How late the event loop was at 99 % of the instants of a second: the mean over the seconds of the interval',
  ),
  cpuShare: z.number().min(0).describe('Processor time over time passed (share of one core)'),
});

/** The same, with the time that it is about, in milliseconds since the run's start. */
export const generatorSampleSchema = generatorIntervalSchema.extend({
  startMs: z.number().min(0).max(longestRunMs),
  lengthMs: z.number().min(0).max(longestRunMs),
});
export type GeneratorSample = z.infer<typeof generatorSampleSchema>;

/** Two samples as one: the greatest memory, the least heap, the others as means over time. */
export function joinSamples(a: GeneratorSample, b: GeneratorSample): GeneratorSample {
  const lengthMs = a.lengthMs + b.lengthMs;
  const meanOf = (name: 'eventLoopDelayP99Ms' | 'cpuShare'): number =>
    (a[name] * a.lengthMs + b[name] * b.lengthMs) / Math.max(lengthMs, Number.MIN_VALUE);
  return {
    startMs: Math.min(a.startMs, b.startMs),
    lengthMs,
    rssBytes: Math.max(a.rssBytes, b.rssBytes),
    heapBytes: Math.min(a.heapBytes, b.heapBytes),
    eventLoopDelayP99Ms: meanOf('eventLoopDelayP99Ms'),
    cpuShare: meanOf('cpuShare'),
  };
}

/** Samples by the start of the interval of this width that they began in. */
export function sampleIntervals(samples: readonly GeneratorSample[], width: number): Map<number, GeneratorSample> {
  const joined = new Map<number, GeneratorSample>();
  for (const sample of samples) {
    const startMs = startOf(sample.startMs, width);
    const there = joined.get(startMs);
    joined.set(startMs, there === undefined ? { ...sample, startMs } : joinSamples(there, sample));
  }
  return joined;
}
