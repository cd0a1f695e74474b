import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';
import { percentilesBy, type Percentiles } from './latency-summary.ts';
import type { Concurrency } from './rates.ts';
import type { Interval } from './intervals.ts';

const readingErrorsSchema = z.object({
  p50Ms: durationMs('Maximum distance from the true p50'),
  p90Ms: durationMs('Maximum distance from the true p90'),
  p95Ms: durationMs('Maximum distance from the true p95'),
  p99Ms: durationMs('Maximum distance from the true p99'),
});
export type ReadingErrors = z.infer<typeof readingErrorsSchema>;

const errorsBy = (errorAt: (key: keyof ReadingErrors) => number): ReadingErrors => ({
  p50Ms: errorAt('p50Ms'),
  p90Ms: errorAt('p90Ms'),
  p95Ms: errorAt('p95Ms'),
  p99Ms: errorAt('p99Ms'),
});

const feltLoadSchema = z.object({
  attemptsPerSecond: z.number().min(0).describe('Attempts that ended in the busiest second (per second)'),
  turnsInFlight: count('Maximum number of turns in flight'),
});
export type FeltLoad = z.infer<typeof feltLoadSchema>;

const seriesErrorsSchema = z.object({
  attempt: readingErrorsSchema.describe('Errors of attempts: from the send to the last byte'),
  effective: readingErrorsSchema.describe('Errors of turns, from their due instant'),
});
export type SeriesErrors = z.infer<typeof seriesErrorsSchema>;

const calibratedLoadSchema = feltLoadSchema.extend({
  turns: count('Number of turns measured'),
  ...seriesErrorsSchema.shape,
});
export type CalibratedLoad = z.infer<typeof calibratedLoadSchema>;

const calibrationKeySchema = z.object({
  toolVersion: text('Version of chat-load'),
  host: text('Name of the machine'),
  machine: text('Machine class: processor, cores, memory, architecture, system, Node.js'),
});
export type CalibrationKey = z.infer<typeof calibrationKeySchema>;

const heldLoadSchema = z.object({
  turnsPerSecond: z.number().describe('Requested turns (per second)'),
  holdMs: durationMs('Delay of each reply'),
});

/** Calibration of this machine by `chat-load calibrate`: its maximum rate, and its measurement error at several loads. */
export const calibrationSchema = z.object({
  kind: z.literal('chat-load/calibration'),
  schemaVersion: z.literal(1),
  ...calibrationKeySchema.shape,
  calibratedAt: z.iso.datetime(),
  sends: z
    .object({
      turnsPerSecond: z.number().min(0).describe('One core over the processor time of a turn (turns per second)'),
      cpuUsPerTurn: z.number().min(0).describe('Processor time of a turn (microseconds)'),
    })
    .describe('Maximum rate of one generator process, with short messages and replies'),
  loads: z.array(calibratedLoadSchema).min(1),
  notCarried: heldLoadSchema
    .nullable()
    .describe(
      'First load that this generator could not sustain, after which no other was tried; null when it sustained all',
    ),
});
export type Calibration = z.infer<typeof calibrationSchema>;

/** Service times of one session by the responder's own clock: from the last byte of a request to its reply. */
export interface TakenTimes {
  createMs: number;
  /** Times of the turns, in their order. */
  turnMs: readonly number[];
}

/**
 * Returns the times that a generator without delays would have measured. Sessions are created and turns are sent the instant
 * they are due, so the first turn includes the creation, and the others only wait for their reply.
 */
export function trueTimes(sessions: readonly TakenTimes[]): { attempt: number[]; effective: number[] } {
  return {
    attempt: sessions.flatMap(({ turnMs }) => turnMs),
    effective: sessions.flatMap(({ createMs, turnMs }) => turnMs.map((ms, turn) => (turn === 0 ? createMs + ms : ms))),
  };
}

export function readingErrors(published: Percentiles, trueMs: readonly number[]): ReadingErrors {
  const sorted = [...trueMs].sort((a, b) => a - b);
  const truth = percentilesBy(sorted.length, (rank) => sorted[rank - 1] ?? null);
  return errorsBy((key) => {
    const [measured, known] = [published[key], truth[key]];
    if (measured === null || known === null) throw new Error(`too few turns were measured for ${key}`);
    return Math.abs(measured - known);
  });
}

/** Accuracy of a run's percentiles, by a calibration of this machine. */
export const readingSchema = z.object({
  calibratedAt: z.iso.datetime().describe('Time of the calibration (ISO 8601, UTC)'),
  load: feltLoadSchema.describe('Maximum load of this run'),
  calibratedTo: z.array(feltLoadSchema).describe('Heaviest calibrated loads: no other is heavier in both figures'),
  largestErrors: seriesErrorsSchema
    .nullable()
    .describe('Maximum errors of the percentiles; null when the load was heavier than any calibrated one'),
});
export type ReadingAccuracy = z.infer<typeof readingSchema>;

/** Returns the worst errors of calibrated loads up to the lightest one as heavy as the run's; `null` if not calibrated. */
export function stateReading(calibration: Calibration | null, load: FeltLoad): ReadingAccuracy | null {
  if (calibration === null) return null;
  const { calibratedAt, loads } = calibration;
  const [cover] = loads.filter((each) => isAsHeavy(each, lightened(load))).toSorted(byWeight);
  const largestErrors = cover === undefined ? null : worstOf(loads.filter((each) => isAsHeavy(cover, each)));
  return { calibratedAt, load, calibratedTo: heaviestOf(loads), largestErrors };
}

/** Returns the maximum load of a run without its warm-up. Intervals shorter than a second count as one second. */
export function feltLoad(intervals: readonly Interval[], { turns }: Pick<Concurrency, 'turns'>): FeltLoad {
  const rates = intervals
    .filter(({ warmUp }) => !warmUp)
    .map(({ attempts, lengthMs }) => (attempts.total * 1000) / Math.max(lengthMs, 1000));
  return { attemptsPerSecond: rates.reduce((max, rate) => Math.max(max, rate), 0), turnsInFlight: turns.max };
}

/** Reduces the load slightly, because the busiest second of a steady load slightly exceeds its rate. */
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
  attempt: errorsBy((key) => Math.max(...loads.map(({ attempt }) => attempt[key]))),
  effective: errorsBy((key) => Math.max(...loads.map(({ effective }) => effective[key]))),
});
