import type { FinishedClass } from '../protocol/outcome.ts';

// The names of the registry of metrics as types, so that an editor completes them in `gates`. A test holds the two together.

/** Durations that have percentiles, a mean and extremes. */
export const latencyNames = [
  'attempt',
  'attempt.ok',
  'attempt.failed',
  'firstByte',
  'connect',
  'turn',
  'turn.ok',
  'turn.failed',
  'effective',
  'effective.ok',
  'effective.failed',
  'lateness',
  'sessionCreate',
  'sessionLateness',
  'backoff',
  'backoffActual',
  'position.1',
  'position.2',
  'position.3-4',
  'position.5-8',
  'position.9-16',
  'position.17+',
] as const;

export const percentileNames = ['p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'p99.99'] as const;
export const extremeNames = ['min', 'mean', 'max'] as const;

/** Durations in which a failed turn counts as infinitely slow. */
export const adjustedNames = ['turn.adjusted', 'effective.adjusted'] as const;

/** What is counted, and shares, rates and ratios of that. */
export const countNames = [
  'turns.failedShare',
  'turns.failed',
  'turns.ok',
  'turns.skipped',
  'turns.aborted',
  'turns.unansweredShare',
  'attempts.failedShare',
  'sessions.failedShare',
  'sessions.createFailedShare',
  'sessions.startedShare',
  'sessions.unansweredShare',
  'sessions.dropped',
  'retries.amplification',
  'retries.count',
  'retries.ambiguous',
  'retries.exhausted',
  'retries.recovered',
  'goodput.share',
  'rates.turnsPerSecond',
  'rates.attemptsPerSecond',
  'rates.sessionsPerSecond',
  'rates.sessionsStartedPerSecond',
  'rates.goodputPerSecond',
  'concurrency.sessions.mean',
  'concurrency.turns.mean',
  'integrity.failed',
  'validity',
] as const;

/** Checks of the integrity guard. */
export const integrityNames = [
  'answered',
  'crossed',
  'stale',
  'placeholder',
  'variables',
  'leakage',
  'turns',
  'continuity',
  'amnesia',
] as const;

/** What is followed through a run. */
export const driftNames = [
  'turn.p50',
  'turn.p95',
  'turn.mean',
  'turns.failedShare',
  'rates.turnsPerSecond',
  'goodput.share',
  'generator.rss',
  'generator.heap',
  'generator.eventLoopDelay',
] as const;

/** A figure of a result that a gate can name. */
export type MetricName =
  | `${(typeof latencyNames)[number]}.${(typeof percentileNames)[number] | (typeof extremeNames)[number]}`
  | `${(typeof adjustedNames)[number]}.${(typeof percentileNames)[number]}`
  | (typeof countNames)[number]
  | `outcomes.${FinishedClass}.${'share' | 'count'}`
  | `integrity.${(typeof integrityNames)[number]}.failed`
  | `drift.${(typeof driftNames)[number]}`;
