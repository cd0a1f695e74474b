import { z } from 'zod';
import { count, durationMs, sizeBytes, maxRunMs } from '../../base/field.ts';
import { startOf, maxIntervals, shortestIntervalMs } from '../../record/interval-width.ts';

/** Load on the generator; for several workers the worst value of each figure. */
export const generatorHealthSchema = z.object({
  cpuShare: z.number().min(0).describe('CPU usage of the busiest process (share of one core)'),
  cpuShareMax: z.number().min(0).describe('CPU usage in its busiest two seconds (share of one core)'),
  eventLoopBusyMax: z.number().min(0).describe('Event-loop utilization in the busiest two seconds (share of the time)'),
  eventLoopDelayP50Ms: durationMs(
    'Median event-loop delay: at half of all instants, due work would have waited at most this long',
  ),
  eventLoopDelayP99Ms: durationMs('99th percentile of the event-loop delay'),
  eventLoopDelayMaxMs: durationMs('Maximum event-loop delay'),
  readDelayP50Ms: durationMs('Median delay with which the process read what had arrived').default(0),
  readDelayP99Ms: durationMs('99th percentile of the delay with which the process read what had arrived').default(0),
  readDelayMaxMs: durationMs('Maximum delay with which the process read what had arrived').default(0),
  gcPauseTotalMs: durationMs('Total of garbage collection pauses'),
  gcPauseMaxMs: durationMs('Longest garbage collection pause'),
  gcPauseShare: z.number().min(0).describe('Share of the time spent in garbage collection pauses'),
  rssMaxBytes: sizeBytes('Maximum memory of a process'),
  heapMaxBytes: sizeBytes('Maximum JavaScript heap of a process'),
  clockJumpMs: durationMs('Largest step between the wall clock and the monotonic clock'),
  descriptorsExhausted: count('Connections that could not be opened because no file descriptor was available'),
  portsExhausted: count('Connections that could not be opened because no local port was available'),
});
export type GeneratorHealth = z.infer<typeof generatorHealthSchema>;

export const generatorIntervalSchema = z.object({
  rssBytes: sizeBytes('Maximum memory of the process'),
  heapBytes: sizeBytes('Minimum JavaScript heap, after a garbage collection'),
  eventLoopDelayP99Ms: durationMs('99th percentile of the event-loop delay per second, averaged over the interval'),
  cpuShare: z.number().min(0).describe('CPU usage (share of one core)'),
});

/** Load on the generator in a time span, in milliseconds since the start of the run. */
export const generatorSampleSchema = generatorIntervalSchema.extend({
  startMs: z.number().min(0).max(maxRunMs),
  lengthMs: z.number().min(0).max(maxRunMs),
});
export type GeneratorSample = z.infer<typeof generatorSampleSchema>;

/** Merges two samples: maximum memory, minimum heap, time-weighted means of the others. */
function joinSamples(a: GeneratorSample, b: GeneratorSample): GeneratorSample {
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

/** Groups samples by the start of the interval of this width in which they began. */
export function sampleIntervals(samples: readonly GeneratorSample[], width: number): Map<number, GeneratorSample> {
  const joined = new Map<number, GeneratorSample>();
  for (const sample of samples) addSample(joined, sample, width);
  return joined;
}

function addSample(joined: Map<number, GeneratorSample>, sample: GeneratorSample, width: number): void {
  const startMs = startOf(sample.startMs, width);
  const there = joined.get(startMs);
  joined.set(startMs, there === undefined ? { ...sample, startMs } : joinSamples(there, sample));
}

/** Maximum number of samples: twice the number of intervals, so that a sample is never longer than an interval. */
const maxSamples = 2 * maxIntervals;

/** Samples of a run of any length: if there are too many, neighbouring pairs are merged. */
export class GeneratorSamples {
  #width = shortestIntervalMs;
  #byStart = new Map<number, GeneratorSample>();

  add(sample: GeneratorSample): void {
    while (sample.startMs >= this.#width * maxSamples) {
      this.#width *= 2;
      this.#byStart = sampleIntervals(this.all(), this.#width);
    }
    addSample(this.#byStart, sample, this.#width);
  }

  all(): GeneratorSample[] {
    return [...this.#byStart.values()];
  }
}
