import { z } from 'zod';
import type { Counters } from '../../record/counters.ts';
import { lostUnitsPerMs, billion } from '../../record/session-sums.ts';
import { count } from '../../base/field.ts';
import { tQuantile } from '../../statistics/student-t.ts';

/** Minimum number of sessions for an interval: with fewer, the distribution of their sum is too far from a normal one. */
export const minSessions = 30;
export const confidence = 0.95;

export function intervalOf(meaning: string) {
  return z
    .object({
      value: z.number().describe('Value of the figure'),
      low: z.number().describe('Lower end of the interval'),
      high: z.number().describe('Upper end of the interval'),
    })
    .nullable()
    .describe(`${meaning}; null below ${String(minSessions)} sessions`);
}
export type PolicyInterval = NonNullable<z.infer<ReturnType<typeof intervalOf>>>;

export const policyIntervalsSchema = z.object({
  sessions: count('Number of sessions used: sessions that completed or failed and sent a turn, without the warm-up'),
  goodputShare: intervalOf('Share of good turns among ok and failed turns (share of 1)'),
  servedShare: intervalOf(
    'Share of good turns among ok and failed turns and the turns planned for sessions that could not be created (share of 1)',
  ),
  amplification: intervalOf('Attempts per turn (ratio)'),
  backoffActualPerTurnMs: intervalOf('Time lost to backoff per turn (milliseconds)'),
});
type PolicyIntervals = z.infer<typeof policyIntervalsSchema>;

export const comparedFigures = ['goodputShare', 'servedShare', 'amplification', 'backoffActualPerTurnMs'] as const;
export type ComparedFigure = (typeof comparedFigures)[number];

export interface Estimate {
  value: number;
  standardError: number;
  sessions: number;
}
export type Estimates = { sessions: number; refused: number } & Record<ComparedFigure, Estimate | null>;

type Sums = Counters['sessionSums'];

export function estimateRatios(sums: Sums): Estimates {
  const { sessions, refused, turns, turnsSquared, asked, askedSquared, goodByTurns, goodByAsked, ...of } = sums;
  const played = { sessions, turns, turnsSquared };
  const requested = { sessions: sessions + refused, turns: asked, turnsSquared: askedSquared };
  // If all turns are good, or none, sessions do not differ, so the variance is computed as if one turn were different.
  const good = { sum: of.good, squared: of.goodSquared, minSpread: 1 };
  return {
    sessions,
    refused,
    goodputShare: estimate(played, { ...good, byTurns: goodByTurns }),
    servedShare: estimate(requested, { ...good, byTurns: goodByAsked }),
    amplification: estimate(played, { sum: of.attempts, squared: of.attemptsSquared, byTurns: of.attemptsByTurns }),
    backoffActualPerTurnMs: estimate(played, {
      sum: of.lost / lostUnitsPerMs,
      squared: (of.lostSquaredBillions * billion + of.lostSquaredRest) / lostUnitsPerMs ** 2,
      byTurns: of.lostByTurns / lostUnitsPerMs,
    }),
  };
}

export function buildPolicyIntervals(sums: Sums): PolicyIntervals {
  const { sessions, ...ratios } = estimateRatios(sums);
  return {
    sessions,
    goodputShare: around(ratios.goodputShare, { max: 1 }),
    servedShare: around(ratios.servedShare, { max: 1 }),
    amplification: around(ratios.amplification, { min: 1 }),
    backoffActualPerTurnMs: around(ratios.backoffActualPerTurnMs),
  };
}

interface Numerator {
  sum: number;
  squared: number;
  byTurns: number;
  /** Minimum sum of squared residuals. */
  minSpread?: number;
}

/**
 * Estimates the ratio of two sums over sessions, with the standard error of its linear approximation (the delta method;
 * Cochran, Sampling Techniques, 2.11): the residual of a session is x - R y, whose sum over sessions is zero.
 */
function estimate(
  { sessions, turns, turnsSquared }: Pick<Sums, 'sessions' | 'turns' | 'turnsSquared'>,
  { sum, squared, byTurns, minSpread = 0 }: Numerator,
): Estimate | null {
  if (sessions < minSessions) return null;
  const value = sum / turns;
  const residuals = squared - 2 * value * byTurns + value ** 2 * turnsSquared;
  const spread = Math.max(residuals, minSpread);
  return { value, standardError: Math.sqrt((spread * sessions) / (sessions - 1)) / turns, sessions };
}

function around(ratio: Estimate | null, { min = 0, max = Infinity } = {}): PolicyInterval | null {
  if (ratio === null) return null;
  const { value, standardError, sessions } = ratio;
  const half = tQuantile((1 + confidence) / 2, sessions - 1) * standardError;
  return { value, low: Math.max(min, value - half), high: Math.min(max, value + half) };
}
