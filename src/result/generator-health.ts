import { z } from 'zod';
import { count, durationMs, sizeBytes } from './field.ts';

/** How the generator itself fared during the load; of several workers the worst of each. */
export const generatorHealthSchema = z.object({
  cpuShare: z.number().min(0).describe('Processor time of the busiest process over time passed (share of one core)'),
  eventLoopDelayP50Ms: durationMs("Half of the event loop's delays are at most this; the timer's own period taken off"),
  eventLoopDelayP99Ms: durationMs('99 % are at most this'),
  eventLoopDelayMaxMs: durationMs('The longest delay'),
  gcPauseTotalMs: durationMs('All pauses for garbage collection'),
  gcPauseMaxMs: durationMs('The longest one'),
  rssMaxBytes: sizeBytes('The most memory that a process held'),
  heapMaxBytes: sizeBytes('The most that its JavaScript heap held'),
  clockJumpMs: durationMs('The largest step between the wall clock and the monotonic clock'),
  descriptorsExhausted: count('Connections that could not be opened for want of a file descriptor'),
  portsExhausted: count('Connections that could not be opened for want of a local port'),
});
export type GeneratorHealth = z.infer<typeof generatorHealthSchema>;
