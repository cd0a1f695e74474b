import { z } from 'zod';
import {
  feltLoadSchema,
  seriesErrorsSchema,
  type CalibratedLoad,
  type Calibration,
  type FeltLoad,
  type ReadingErrors,
  type SeriesErrors,
} from './calibration.ts';
import type { Concurrency } from './concurrency.ts';
import type { Interval } from './intervals.ts';

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
  return { attemptsPerSecond: rates.reduce((most, rate) => Math.max(most, rate), 0), turnsInFlight: turns.max };
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
