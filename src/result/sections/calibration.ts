import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';

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
