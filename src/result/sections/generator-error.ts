import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';
import type { StoredSeries } from '../../record/stored-series.ts';
import type { Tally } from '../../record/tally.ts';
import { percentilesBy, percentileShape, valuesByRank } from './latency-summary.ts';

const delaySchema = z.object({
  count: count('Number of delays'),
  meanMs: durationMs('Mean delay'),
  ...percentileShape,
  maxMs: durationMs('Maximum delay'),
  hdr: text('Source histogram, encoded like those of latency'),
});
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

function delayOf(series: StoredSeries): Delay {
  const { count: delays, sumUs, maxUs, hdr } = series;
  return {
    count: delays,
    meanMs: sumUs / delays / 1000,
    ...percentilesBy(delays, valuesByRank(series)),
    maxMs: maxUs / 1000,
    hdr,
  };
}
