import type { ReadingErrors } from './calibration.ts';
import { percentilesBy, type Percentiles } from './latency-summary.ts';

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
