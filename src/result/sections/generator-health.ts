import { z } from 'zod';
import { count, durationMs, sizeBytes, maxRunMs } from '../../base/field.ts';
import { startOf, maxIntervals, shortestIntervalMs } from '../../record/interval-width.ts';

/** The load on the generator; of several workers the worst of each figure. */
export const generatorHealthSchema = z.object({
  cpuShare: z.number().min(0).describe('Processor time of the busiest process over time passed (share of one core)'),
  cpuShareMax: z.number().min(0).describe('The same in the two seconds in which it was greatest (share of one core)'),
  eventLoopBusyMax: z
    .number()
    .min(0)
    .describe('Share of time for which the event loop was busy, in the busiest two seconds'),
  eventLoopDelayP50Ms: durationMs(
    'How late the event loop was: at half of all instants, work due then would have waited at most this long',
  ),
  eventLoopDelayP99Ms: durationMs('At 99 % of all instants'),
  eventLoopDelayMaxMs: durationMs('The longest delay'),
  gcPauseTotalMs: durationMs('Total of garbage collection pauses'),
  gcPauseMaxMs: durationMs('The longest one'),
  gcPauseShare: z.number().min(0).describe('Their total over time passed (share)'),
  rssMaxBytes: sizeBytes('The most memory that a process used'),
  heapMaxBytes: sizeBytes('The most that its JavaScript heap used'),
  clockJumpMs: durationMs('The largest step between the wall clock and the monotonic clock'),
  descriptorsExhausted: count('Connections that could not be opened: no file descriptor was left'),
  portsExhausted: count('Connections that could not be opened: no local port was left'),
});
export type GeneratorHealth = z.infer<typeof generatorHealthSchema>;

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
  startMs: z.number().min(0).max(maxRunMs),
  lengthMs: z.number().min(0).max(maxRunMs),
});
export type GeneratorSample = z.infer<typeof generatorSampleSchema>;

/** Two samples as one: the greatest memory, the least heap, the others as means over time. */
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

/** Twice as many as a result has intervals, so that a sample is never longer than one of them. */
const maxSamples = 2 * maxIntervals;

/** Samples of a run of any length: when there are too many, neighbours are joined two by two. */
export class GeneratorSamples {
  #width = shortestIntervalMs;
  #byStart = new Map<number, GeneratorSample>();

  add(sample: GeneratorSample): void {
    while (sample.startMs >= this.#width * maxSamples) {
      this.#width *= 2;
      this.#byStart = sampleIntervals(this.all(), this.#width);
    }
    const startMs = startOf(sample.startMs, this.#width);
    const there = this.#byStart.get(startMs);
    this.#byStart.set(startMs, there === undefined ? { ...sample, startMs } : joinSamples(there, sample));
  }

  /** By their start. */
  all(): GeneratorSample[] {
    return [...this.#byStart.values()];
  }
}
