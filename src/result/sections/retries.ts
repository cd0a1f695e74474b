import { z } from 'zod';
import { failedTurns, total, type Counters } from '../../record/counters.ts';
import { finishedClassNames, traitsOf } from '../../protocol/outcome.ts';
import {
  count,
  countsBy,
  durationMs,
  perSecond,
  ratePerSecond,
  share,
  shareOf,
  numberOrNull,
} from '../../base/field.ts';
import type { Figures } from './figures.ts';

const byAttempts = (meaning: string) =>
  z.record(z.string(), z.int().min(0)).describe(`${meaning} (counts by number of attempts, from 1; zero where absent)`);

const countedRetriesSchema = z.object({
  retries: count('Retries sent'),
  byCause: countsBy(finishedClassNames, 'Retries by the class that was retried'),
  ambiguous: count('Retries that may have repeated work which the service had already done'),
  retryAfter: z
    .object({
      obeyed: count('Retries that waited at least as long as the reply required'),
      violated: count('Retries sent earlier than required'),
      absent: count('Retries of replies that stated no wait'),
      invalid: count('Retries of replies whose wait could not be read, or was past'),
      tooLong: count('Operations given up because the wait exceeded maxRetryAfter; not among the retries'),
    })
    .describe('Handling of Retry-After, retry-after-ms and resets of limits'),
  gaveUp: z
    .object({
      final: count('Failures of a class that is not retried'),
      exhausted: count('Failures after all attempts'),
      tooLong: count('Failures with a stated wait above maxRetryAfter'),
      budget: count('Failures without retry budget'),
      runEnd: count('Failures at the end of the run: before the backoff, or during it, which makes them aborted'),
    })
    .describe('Failures without a further attempt, by reason'),
});

const goodputSchema = z.object({
  turns: count('Ok turns within the latency objective'),
  share: share('Share of good turns among ok and failed turns'),
  perSecond: perSecond('Good turns'),
});

export const retryFiguresSchema = countedRetriesSchema.extend({
  turnsSent: count('Turns sent'),
  attempts: count('Attempts of turns'),
  amplification: numberOrNull('Turns sent and their retries, per turn sent (ratio, never below 1; null without turns)'),
  attemptsPerTurn: byAttempts('Ended turns, by number of attempts'),
  recovered: count('Ok turns that needed more than one attempt'),
  recoveredAt: byAttempts('Recovered turns, by the attempt that was ok'),
  backoffPlannedMs: durationMs('Total backoff of turns that ended in a retry, as planned'),
  backoffActualMs: durationMs('Total measured backoff: the time that turns lost to waiting'),
  goodput: goodputSchema.describe('Good turns: ok, and within the latency objective'),
  creations: countedRetriesSchema.describe('Retries of session creations'),
});
export type RetryFigures = z.infer<typeof retryFiguresSchema>;

export function buildRetryFigures({ counters, tally }: Figures, timeMs: number): RetryFigures {
  const { turnFlow, exchanges, turns, okByAttempts, turnsByAttempts } = counters;
  const recoveredAt = Object.fromEntries(Object.entries(okByAttempts).filter(([attempts]) => attempts !== '1'));
  const counted = countRetries(counters, ambiguousRetries(counters));
  const { createRetries, createRetryAfter, createGaveUp } = counters;
  return {
    ...counted,
    turnsSent: turnFlow.sent,
    attempts: exchanges.attempts,
    // Relative to sent turns: while turns are in flight, or after a run has died, fewer attempts than turns have ended.
    amplification: shareOf(turnFlow.sent + counted.retries, turnFlow.sent),
    attemptsPerTurn: { ...turnsByAttempts },
    recovered: total(recoveredAt),
    recoveredAt,
    backoffPlannedMs: (tally.series.backoff?.sumUs ?? 0) / 1000,
    backoffActualMs: (tally.series.backoffActual?.sumUs ?? 0) / 1000,
    goodput: {
      turns: turnFlow.good,
      share: shareOf(turnFlow.good, turns.ok + failedTurns(turns)),
      perSecond: ratePerSecond(turnFlow.good, timeMs),
    },
    creations: countRetries(
      { retries: createRetries, retryAfter: createRetryAfter, gaveUp: createGaveUp },
      ambiguousByClass(createRetries) + exchanges.riskyCreateRetries - exchanges.safeCreateRetries,
    ),
  };
}

/** Counts the ambiguous retries of turns. Over a socket the frames that were sent decide, not the class. */
export function ambiguousRetries({ retries, exchanges }: Pick<Counters, 'retries' | 'exchanges'>): number {
  return ambiguousByClass(retries) + exchanges.riskyRetries - exchanges.safeRetries;
}

function ambiguousByClass(retries: Counters['retries']): number {
  return finishedClassNames.reduce((sum, name) => sum + (traitsOf(name).ambiguous ? retries[name] : 0), 0);
}

function countRetries(
  { retries, retryAfter, gaveUp }: Pick<Counters, 'retries' | 'retryAfter' | 'gaveUp'>,
  ambiguous: number,
) {
  return {
    retries: total(retries),
    byCause: { ...retries },
    ambiguous,
    retryAfter: { ...retryAfter, tooLong: gaveUp.retry_after_too_long },
    gaveUp: {
      final: gaveUp.final,
      exhausted: gaveUp.exhausted,
      tooLong: gaveUp.retry_after_too_long,
      budget: gaveUp.budget,
      runEnd: gaveUp.run_end,
    },
  };
}
