import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';
import { percentilesBy, type Percentiles } from './latency-summary.ts';
import type { Concurrency } from './rates.ts';
import type { Interval } from './intervals.ts';

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

/** The accuracy of a run's percentiles, by a calibration of this machine. */
export const readingSchema = z.object({
  calibratedAt: z.iso.datetime().describe('When this machine was calibrated (ISO 8601, UTC)'),
  load: feltLoadSchema.describe('The heaviest load of this run'),
  calibratedTo: z
    .array(feltLoadSchema)
    .describe('The heaviest loads that were calibrated: no other is heavier in both'),
  largestErrors: seriesErrorsSchema
    .nullable()
    .describe('How far percentiles may be from the truth; null when the load was heavier than any calibrated one'),
});
export type ReadingAccuracy = z.infer<typeof readingSchema>;

/**
 * States how well a run was read: by the lightest calibrated load that is as heavy as the run's, and the worst of what
 * was seen up to there. `null` without a calibration.
 */
export function stateReading(calibration: Calibration | null, load: FeltLoad): ReadingAccuracy | null {
  if (calibration === null) return null;
  const { calibratedAt, loads } = calibration;
  const [cover] = loads.filter((each) => isAsHeavy(each, lightened(load))).toSorted(byWeight);
  const largestErrors = cover === undefined ? null : worstOf(loads.filter((each) => isAsHeavy(cover, each)));
  return { calibratedAt, load, calibratedTo: heaviestOf(loads), largestErrors };
}

/** The load of a run at its heaviest, its warm-up left out. What is shorter than a second counts as one. */
export function feltLoad(intervals: readonly Interval[], { turns }: Pick<Concurrency, 'turns'>): FeltLoad {
  const rates = intervals
    .filter(({ warmUp }) => !warmUp)
    .map(({ attempts, lengthMs }) => (attempts.total * 1000) / Math.max(lengthMs, 1000));
  return { attemptsPerSecond: rates.reduce((max, rate) => Math.max(max, rate), 0), turnsInFlight: turns.max };
}

/** The busiest second of a steady load holds a little more than its rate: that is the same load. */
const lightened = ({ attemptsPerSecond, turnsInFlight }: FeltLoad): FeltLoad => ({
  attemptsPerSecond: attemptsPerSecond / 1.05,
  turnsInFlight,
});

const isAsHeavy = (one: FeltLoad, other: FeltLoad): boolean =>
  one.attemptsPerSecond >= other.attemptsPerSecond && one.turnsInFlight >= other.turnsInFlight;

const byWeight = (one: FeltLoad, other: FeltLoad): number =>
  one.attemptsPerSecond - other.attemptsPerSecond || one.turnsInFlight - other.turnsInFlight;

const heaviestOf = (loads: readonly FeltLoad[]): FeltLoad[] =>
  loads
    .filter((load) => !loads.some((other) => other !== load && isAsHeavy(other, load)))
    .toSorted(byWeight)
    .map(({ attemptsPerSecond, turnsInFlight }) => ({ attemptsPerSecond, turnsInFlight }));

const worstOf = (loads: readonly CalibratedLoad[]): SeriesErrors => ({
  attempt: worst(loads.map(({ attempt }) => attempt)),
  effective: worst(loads.map(({ effective }) => effective)),
});

const worst = (errors: readonly ReadingErrors[]): ReadingErrors => ({
  p50Ms: Math.max(...errors.map(({ p50Ms }) => p50Ms)),
  p90Ms: Math.max(...errors.map(({ p90Ms }) => p90Ms)),
  p95Ms: Math.max(...errors.map(({ p95Ms }) => p95Ms)),
  p99Ms: Math.max(...errors.map(({ p99Ms }) => p99Ms)),
});
