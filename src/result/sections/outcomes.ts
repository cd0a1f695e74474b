import { z } from 'zod';
import {
  attemptClassNames,
  finishedClassNames,
  traitsOf,
  turnClassNames,
  type OutcomeGroup,
} from '../../protocol/outcome.ts';
import { count, countsBy, listOf, share, shareOf, amountOrNull, text, textOrNull } from '../../base/field.ts';
import { finishes, type Finish } from '../../protocol/finish.ts';
import { noteRules, noteTexts, type NoteRule } from '../../protocol/notes.ts';
import type { Example } from '../../record/examples.ts';
import { failedTurns } from '../../record/counters.ts';
import type { Figures } from './figures.ts';
import { lowestOf, readSparse } from '../../record/sparse-histogram.ts';
import { mergeSeries, type StoredSeries } from '../../record/stored-series.ts';
import { turnSeries } from './latency.ts';
import { valuesByRank } from './latency-summary.ts';
import { rankOf } from '../../statistics/rank-of.ts';

const oneSchema = (cut: string, finished: string) =>
  z.object({
    count: count(
      `${cut} cut at the end of the run after waiting longer than 99 % of ${finished}, or after a failed attempt`,
    ),
    share: share(`Share among these and ${finished}`),
    maxWaitMs: amountOrNull('Longest wait before a cut in the first attempt (milliseconds; null if there is none)'),
  });

const unansweredSchema = z
  .object({
    turns: oneSchema('Turns', 'finished turns').describe('Sent turns'),
    creations: oneSchema('Creations of sessions', 'finished creations').describe('Creations of sessions'),
  })
  .describe('Turns and creations without an answer at the end of the run, which no latency figure includes');
export type Unanswered = z.infer<typeof unansweredSchema>;

/**
 * Builds the unanswered counts. Turns cut at an ordinary end had waited less than others took. A much longer wait counts as
 * an answer that never arrived; with a failed attempt before, as a failure that had no time to become final.
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

interface Ended {
  took: () => StoredSeries | undefined;
  /** Number of cut operations with a failed attempt before. */
  failedBefore: number;
  finished: number;
}

function publish(cut: StoredSeries | undefined, { took, failedBefore, finished }: Ended): Unanswered['turns'] {
  const count = failedBefore + (cut === undefined ? 0 : countLonger(cut, took()));
  return { count, share: shareOf(count, finished + count), maxWaitMs: cut === undefined ? null : cut.maxUs / 1000 };
}

/** Counts the values above the 99th percentile of the others, without its bucket; without others, all values. */
function countLonger({ count, hdr }: StoredSeries, others: StoredSeries | undefined): number {
  if (others === undefined) return count;
  const maxUs = valuesByRank(others)(rankOf(99, others.count)) * 1000;
  const { indexes, counts } = readSparse(hdr);
  return counts.reduce((sum, each, at) => sum + (lowestOf(indexes[at] ?? 0) > maxUs ? each : 0), 0);
}

const noteSchema = z.object({
  rule: z.enum(noteRules as [NoteRule, ...NoteRule[]]).describe('Rule'),
  meaning: text('Description of the deviation'),
  count: count('Replies'),
  example: z
    .object({
      session: count('Number of the session, from 1'),
      turn: count('Number of the turn, from 1'),
      detail: textOrNull('Quoted values, with secrets redacted; null if there are none'),
    })
    .nullable()
    .describe('First reply of the rule; null if none was kept'),
});

const groupNames = [...new Set(finishedClassNames.map((name) => traitsOf(name).group))];

export const outcomesSchema = z.object({
  attempts: countsBy(attemptClassNames, 'Attempts of turns by class'),
  createAttempts: countsBy(attemptClassNames, 'Attempts to create a session by class'),
  turns: countsBy(turnClassNames, 'Turns by class, including turns never sent'),
  groups: z
    .record(
      z.enum(groupNames as [OutcomeGroup, ...OutcomeGroup[]]),
      z.object({ attempts: count('Attempts of turns'), turns: count('Turns') }),
    )
    .describe('Classes by group; aborted and unsent turns are in none'),
  stale: count(
    'Attempts of turns lost on a reused connection before any byte of a response, while the server was closing it',
  ),
  createStale: count('Attempts to create a session lost on a reused connection before any byte of a response'),
  reopened: count(
    'Attempts of turns for which the socket of the session was opened again; only over WebSocket',
  ).default(0),
  unsolicited: count('Frames of replies that no attempt awaited, such as late ones; only over WebSocket').default(0),
  finish: countsBy(
    finishes,
    'Ok turns by the end that their reply states: complete, cut at a limit of tokens, filtered or refused, a tool call, another one, or none',
  ).default(Object.fromEntries(finishes.map((finish) => [finish, 0])) as Record<Finish, number>),
  empty: count('Ok turns whose reply has neither text nor a tool call').default(0),
  notes: listOf(noteSchema, noteRules.length)
    .default([])
    .describe('Deviations of replies from their API that no client notices, by rule; `check` fails for them'),
  unanswered: unansweredSchema,
});
export type Outcomes = z.infer<typeof outcomesSchema>;

export function buildOutcomes(figures: Figures, examples: readonly Example[] = []): Outcomes {
  const { attempts, createAttempts, turns, exchanges, replyEnds, notes } = figures.counters;
  return {
    attempts: { ...attempts },
    createAttempts: { ...createAttempts },
    turns: { ...turns },
    groups: Object.fromEntries(
      groupNames.map((group) => [group, { attempts: sumOfGroup(group, attempts), turns: sumOfGroup(group, turns) }]),
    ) as Outcomes['groups'],
    stale: exchanges.stale,
    createStale: exchanges.createStale,
    reopened: exchanges.reopened,
    unsolicited: exchanges.unsolicited,
    finish: Object.fromEntries(finishes.map((finish) => [finish, replyEnds[finish]])) as Outcomes['finish'],
    empty: replyEnds.empty,
    notes: noteRules
      .filter((rule) => notes[rule] > 0)
      .map((rule) => ({ rule, meaning: noteTexts[rule], count: notes[rule], example: exampleOf(rule, examples) })),
    unanswered: buildUnanswered(figures, turns.ok + failedTurns(turns)),
  };
}

function exampleOf(rule: NoteRule, examples: readonly Example[]): Outcomes['notes'][number]['example'] {
  const found = examples.find(
    ({ outcome, detail }) => outcome === 'ok' && (detail === rule || detail.startsWith(`${rule}: `)),
  );
  if (found === undefined) return null;
  const { session, turn, detail } = found;
  return { session, turn, detail: detail.slice(rule.length + 2) || null };
}

const sumOfGroup = (group: OutcomeGroup, counts: Outcomes['attempts'] | Outcomes['turns']): number =>
  finishedClassNames.reduce((sum, name) => sum + (traitsOf(name).group === group ? counts[name] : 0), 0);
