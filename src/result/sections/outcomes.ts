import { z } from 'zod';
import {
  attemptClassNames,
  finishedClassNames,
  traitsOf,
  turnClassNames,
  type OutcomeGroup,
} from '../../protocol/outcome.ts';
import { count, countsBy, share, shareOf } from '../../base/field.ts';
import { failedTurns } from '../../record/counters.ts';
import type { Figures } from './figures.ts';
import { lowestOf, readSparse } from '../../record/sparse-histogram.ts';
import { mergeSeries, type StoredSeries } from '../../record/stored-series.ts';
import { turnSeries } from './latency.ts';
import { valuesByRank } from './latency-summary.ts';
import { rankOf } from '../../statistics/rank-of.ts';

const oneSchema = (what: string, finished: string) =>
  z.object({
    count: count(
      `${what} cut at the end of the run although they had waited longer than 99 % of ${finished} took, or had already failed an attempt`,
    ),
    share: share(`Of these and ${finished}`),
    maxWaitMs: z
      .number()
      .min(0)
      .nullable()
      .describe('The longest wait of those cut in their first attempt (milliseconds; null without any)'),
  });

const unansweredSchema = z
  .object({
    turns: oneSchema('Turns', 'finished turns').describe('Turns that were sent'),
    creations: oneSchema('Creations of sessions', 'finished creations').describe('Creations of sessions'),
  })
  .describe('What had no answer when the run ended and is in no latency figure');
export type Unanswered = z.infer<typeof unansweredSchema>;

/**
 * Turns cut at an ordinary end had waited less than others took. A much longer wait counts as an answer that never
 * came; with a failed attempt before, as a failure that had no time to become final.
 */
function buildUnanswered({ counters, tally }: Figures, finishedTurns: number): Unanswered {
  const { attempts, turns, sessions, exchanges, createGaveUp } = counters;
  const { cutTurn, cutCreation, sessionCreate } = tally.series;
  return {
    turns: publish(cutTurn, {
      took: () => mergeSeries([turnSeries(tally, 'ok'), turnSeries(tally, 'failed')]),
      failedBefore: turns.aborted - attempts.aborted + exchanges.cutRetries,
      finished: finishedTurns,
    }),
    creations: publish(cutCreation, {
      took: () => sessionCreate,
      failedBefore: createGaveUp.run_end + exchanges.cutCreateRetries,
      finished: sessions.created + sessions.create_failed,
    }),
  };
}

/** `took`: those that finished; `failedBefore`: cut with a failed attempt behind them. */
function publish(
  cut: StoredSeries | undefined,
  { took, failedBefore, finished }: { took: () => StoredSeries | undefined; failedBefore: number; finished: number },
): Unanswered['turns'] {
  const count = failedBefore + (cut === undefined ? 0 : countLonger(cut, took()));
  return {
    count,
    share: shareOf(count, finished + count),
    maxWaitMs: cut === undefined ? null : cut.maxUs / 1000,
  };
}

/**
 * The number above the 99th percentile of the others; without others, all are. Values in its
 * bucket are not.
 */
function countLonger({ count, hdr }: StoredSeries, others: StoredSeries | undefined): number {
  if (others === undefined) return count;
  const maxUs = valuesByRank(others)(rankOf(99, others.count)) * 1000;
  const { indexes, counts } = readSparse(hdr);
  return counts.reduce((sum, each, at) => sum + (lowestOf(indexes[at] ?? 0) > maxUs ? each : 0), 0);
}

const groupNames = [...new Set(finishedClassNames.map((name) => traitsOf(name).group))];

export const outcomesSchema = z.object({
  attempts: countsBy(attemptClassNames, 'Attempts of turns by class'),
  createAttempts: countsBy(attemptClassNames, 'Attempts to create a session by class'),
  turns: countsBy(turnClassNames, 'Turns by class, including those never sent'),
  groups: z
    .record(
      z.enum(groupNames as [OutcomeGroup, ...OutcomeGroup[]]),
      z.object({ attempts: count('Attempts of turns'), turns: count('Turns') }),
    )
    .describe('Classes by group; what was aborted or never sent is in none'),
  stale: count('Attempts of turns lost on a kept connection before any byte of a response: the server was closing it'),
  createStale: count('Attempts to create a session lost in the same way'),
  unanswered: unansweredSchema,
});
export type Outcomes = z.infer<typeof outcomesSchema>;

export function buildOutcomes(figures: Figures): Outcomes {
  const { attempts, createAttempts, turns, exchanges } = figures.counters;
  return {
    attempts: { ...attempts },
    createAttempts: { ...createAttempts },
    turns: { ...turns },
    groups: Object.fromEntries(
      groupNames.map((group) => [group, { attempts: sumOfGroup(group, attempts), turns: sumOfGroup(group, turns) }]),
    ) as Outcomes['groups'],
    stale: exchanges.stale,
    createStale: exchanges.createStale,
    unanswered: buildUnanswered(figures, turns.ok + failedTurns(turns)),
  };
}

const sumOfGroup = (group: OutcomeGroup, counts: Outcomes['attempts'] | Outcomes['turns']): number =>
  finishedClassNames.reduce((sum, name) => sum + (traitsOf(name).group === group ? counts[name] : 0), 0);
