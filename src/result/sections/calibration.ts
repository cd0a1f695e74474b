import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';
import { percentilesBy, type Percentiles } from './latency-summary.ts';

/** How far published percentiles are from the truth. */
const readingErrorsSchema = z.object({
  p50Ms: durationMs('The greatest distance from the true p50'),
  p90Ms: durationMs('The greatest distance from the true p90'),
  p95Ms: durationMs('The greatest distance from the true p95'),
  p99Ms: durationMs('The greatest distance from the true p99'),
});
export type ReadingErrors = z.infer<typeof readingErrorsSchema>;

/** A load as the generator feels it. */
export const feltLoadSchema = z.object({
  attemptsPerSecond: z.number().min(0).describe('Attempts that ended in the busiest second (per second)'),
  turnsInFlight: count('Most turns in flight at one time'),
});
export type FeltLoad = z.infer<typeof feltLoadSchema>;

export const seriesErrorsSchema = z.object({
  attempt: readingErrorsSchema.describe('Of attempts: from the send to the last byte'),
  effective: readingErrorsSchema.describe('Of turns from the instant they were due'),
});
export type SeriesErrors = z.infer<typeof seriesErrorsSchema>;

const calibratedLoadSchema = feltLoadSchema.extend({ turns: count('Turns measured'), ...seriesErrorsSchema.shape });
export type CalibratedLoad = z.infer<typeof calibratedLoadSchema>;

/** Whose calibration it is: it holds for no other machine and no other version. */
const calibrationKeySchema = z.object({
  toolVersion: text('The version of chat-load'),
  host: text('The name of the machine'),
  machine: text('Its class: processor, cores, memory, architecture, system, Node.js'),
});
export type CalibrationKey = z.infer<typeof calibrationKeySchema>;

const heldLoadSchema = z.object({
  turnsPerSecond: z.number().describe('Turns asked for (per second)'),
  holdMs: durationMs('How long each reply was held'),
});

/** What `chat-load calibrate` finds and keeps: how well this generator reads at several loads. */
export const calibrationSchema = z.object({
  kind: z.literal('chat-load/calibration'),
  schemaVersion: z.literal(1),
  ...calibrationKeySchema.shape,
  calibratedAt: z.iso.datetime(),
  loads: z.array(calibratedLoadSchema).min(1),
  notCarried: heldLoadSchema
    .nullable()
    .describe(
      'The first load that this generator could not carry, after which no other was tried; null when it carried all',
    ),
});
export type Calibration = z.infer<typeof calibrationSchema>;

/** How long a responder took over one session, by its own clock: from the last byte of a request to its reply. */
export interface TakenTimes {
  createMs: number;
  /** In their order. */
  turnMs: readonly number[];
}

/**
 * What a generator without its own delays would have measured. Sessions are created and turns are sent the
 * instant they are due, so the first turn waits for the creation too, and the others for nothing but their reply.
 */
export function trueTimes(sessions: readonly TakenTimes[]): { attempt: number[]; effective: number[] } {
  return {
    attempt: sessions.flatMap(({ turnMs }) => turnMs),
    effective: sessions.flatMap(({ createMs, turnMs }) => turnMs.map((ms, turn) => (turn === 0 ? createMs + ms : ms))),
  };
}

/** How far published percentiles are from those of the true times, in either direction. */
export function readingErrors(published: Percentiles, trueMs: readonly number[]): ReadingErrors {
  const sorted = [...trueMs].sort((a, b) => a - b);
  const truth = percentilesBy(sorted.length, (rank) => sorted[rank - 1] ?? null);
  const errorAt = (key: keyof ReadingErrors): number => {
    const [measured, known] = [published[key], truth[key]];
    if (measured === null || known === null) throw new Error(`too few turns were measured for ${key}`);
    return Math.abs(measured - known);
  };
  return { p50Ms: errorAt('p50Ms'), p90Ms: errorAt('p90Ms'), p95Ms: errorAt('p95Ms'), p99Ms: errorAt('p99Ms') };
}
