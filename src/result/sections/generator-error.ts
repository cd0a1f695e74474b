import { z } from 'zod';
import type { Tally } from '../../record/tally.ts';
import { latencySummarySchema, summarizeLatency } from './latency-summary.ts';

const delaySchema = latencySummarySchema.omit({ intervals: true, errorMs: true, p99AtMaxMs: true });
type Delay = z.infer<typeof delaySchema>;

export const generatorErrorSchema = z
  .object({
    time: delaySchema.describe(
      'Delay of probes: messages of another thread at random instants while turns were in flight',
    ),
    replies: delaySchema.nullable().describe('Estimated delay of the replies; null without replies next to a probe'),
  })
  .nullable()
  .default(null)
  .describe(
    'Delay with which the generator read what had arrived, from all its processes, without the warm-up; null when not measured. errorMs of the latencies follows from it',
  );
export type GeneratorError = z.infer<typeof generatorErrorSchema>;

/** Builds the read delays of the measured part of a run. */
export function buildGeneratorError({ series: { readDelay, replyDelay } }: Tally): GeneratorError {
  if (readDelay === undefined) return null;
  return { time: delayOf(readDelay), replies: replyDelay === undefined ? null : delayOf(replyDelay) };
}

function delayOf(series: Tally['series']['readDelay']): Delay {
  const { intervals: _, errorMs: __, p99AtMaxMs: ___, ...summary } = summarizeLatency(series);
  return summary;
}
