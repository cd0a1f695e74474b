import { z } from 'zod';
import { count, durationMs, sizeBytes } from '../../base/field.ts';

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
