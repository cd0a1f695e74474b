import { z } from 'zod';
import { failedTurns, total, type Counters } from '../../record/counters.ts';
import { assertedEquationSchema, type Equation } from './equation.ts';
import { count } from '../../base/field.ts';
import { integrityFailures } from '../sections/integrity.ts';

const sessionsSchema = z.object({
  planned: count('Sessions requested; with a duration and no count, sessions that became due or took a slot'),
  started: count('Sessions whose first create attempt was sent'),
  created: count('Sessions whose id was received, or that need none'),
  completed: count('Created sessions whose turns all ran'),
  failed: count('Created sessions that a failed turn ended or flagged'),
  cut: count('Created sessions that were cut at the end of the run'),
  create_failed: count('Sessions whose creation finally failed'),
  create_cut: count('Sessions whose creation was cut at the end of the run'),
  dropped: count('Sessions not started because the maximum number of live sessions was reached when they were due'),
  not_started: count('Sessions not started before the end of the run'),
  not_started_due: count('Part of not_started: sessions that had become due'),
  lost: count('Sessions in progress in a lost shard: their fate is unknown'),
  lost_creating: count('Part of lost: sessions that were being created'),
  uncreated: count('Part of created: sessions of a protocol without session creation, for which no request was sent'),
});

const turnsSchema = z.object({
  planned: count('Planned turns of created sessions'),
  sent: count('Turns whose first attempt was sent'),
  ok: count('Turns that ended ok'),
  failed: count('Turns that finally failed'),
  skipped_prior_failure: count('Turns never sent because an earlier turn of the session had failed'),
  skipped_run_end: count('Turns never sent because the run ended first'),
  aborted: count('Turns that were cut while in flight'),
  abandoned: count('Turns whose user left before the reply was complete: neither ok nor failed'),
  carried_over: count('Turns sent after the warm-up in sessions that had started before its end'),
  lost: count('Turns sent by a lost shard: their fate is unknown'),
});

const attemptsSchema = z.object({
  total: count('Attempts that ended'),
  retries: count('Part of total: retries'),
  aborted: count('Part of total: attempts cut while in flight'),
  abandoned: count('Part of total: attempts whose user left before the reply was complete'),
  lost: count('In addition to total: attempts in flight in a lost shard, whose fate is unknown'),
});

const ledgerSchema = z.object({
  sessions: sessionsSchema.describe('Sessions'),
  turns: turnsSchema.describe('Turns'),
  attempts: attemptsSchema.describe('Attempts of turns'),
  createAttempts: attemptsSchema.describe('Attempts to create a session'),
  integrity: z
    .object({
      replies: count('Replies that the integrity guard checked'),
      failed: count('Replies that broke a check'),
    })
    .describe('Replies and the integrity guard'),
});
export type Ledger = z.infer<typeof ledgerSchema>;

export const booksSchema = z.object({
  balanced: z
    .boolean()
    .nullable()
    .describe(
      'True if all consistency checks passed; false is a bug in chat-load; null for a recovered run, which never ended',
    ),
  checked: count('Number of consistency checks'),
  broken: z.array(assertedEquationSchema).describe('Failed consistency checks'),
  ...ledgerSchema.shape,
  warmUp: ledgerSchema.describe('Counts of the warm-up, excluded from every other published figure'),
});
export type Books = z.infer<typeof booksSchema>;

export interface CheckedBooks {
  equations: readonly Equation[];
  hasEnded: boolean;
}

interface BooksParts extends CheckedBooks {
  whole: Counters;
  warmUp: Counters;
  planned: number | null;
}

export function buildBooks({ whole, warmUp, planned, equations, hasEnded }: BooksParts): Books {
  const broken = equations.filter((equation) => !equation.holds);
  return {
    balanced: hasEnded ? broken.length === 0 : null,
    checked: equations.length,
    broken: hasEnded ? broken : [],
    ...ledgerOf(whole, planned ?? dueSessions(whole)),
    warmUp: ledgerOf(warmUp, plannedInWarmUp(warmUp)),
  };
}

/** Returns the books without the warm-up. Planned turns are the turns that were sent or given up after it. */
export function measuredLedger({ sessions, turns, warmUp }: Books): Pick<Ledger, 'sessions' | 'turns'> {
  const parts = less(turns, warmUp.turns);
  const { ok, failed, skipped_prior_failure, skipped_run_end, aborted, abandoned, lost } = parts;
  return {
    sessions: less(sessions, warmUp.sessions),
    turns: { ...parts, planned: ok + failed + skipped_prior_failure + skipped_run_end + aborted + abandoned + lost },
  };
}

const less = <Counts extends Record<string, number>>(whole: Counts, part: Counts): Counts =>
  Object.fromEntries(Object.entries(whole).map(([name, count]) => [name, count - (part[name] ?? 0)])) as Counts;

/** Counts the sessions that became due after the warm-up, and their fates. */
export function dueOf({ sessions, warmUp }: Books): { due: number; started: number; dropped: number } {
  const started = sessions.started - warmUp.sessions.started;
  const dropped = sessions.dropped - warmUp.sessions.dropped;
  return { due: started + dropped + sessions.not_started_due - warmUp.sessions.not_started_due, started, dropped };
}

/** Counts the sessions that became due: started, dropped, or not started after their due instant. */
export function dueSessions({ sessions }: Counters): number {
  return sessions.started + sessions.dropped + sessions.not_started_due;
}

/** Counts the sessions of the warm-up by their appearance in it: the plan does not contain their number. */
export function plannedInWarmUp({ sessions }: Counters): number {
  return sessions.started + sessions.dropped + sessions.not_started;
}

function ledgerOf(counters: Counters, planned: number): Ledger {
  const { turnFlow, turns, attempts, createAttempts, exchanges, integrity } = counters;
  return {
    sessions: { planned, ...counters.sessions },
    turns: {
      planned: turnFlow.planned,
      sent: turnFlow.sent,
      ok: turns.ok,
      failed: failedTurns(turns),
      skipped_prior_failure: turns.skipped_prior_failure,
      skipped_run_end: turns.skipped_run_end,
      aborted: turns.aborted,
      abandoned: turns.abandoned,
      carried_over: turnFlow.carried_over,
      lost: turnFlow.lost,
    },
    attempts: {
      total: exchanges.attempts,
      retries: total(counters.retries),
      aborted: attempts.aborted,
      abandoned: attempts.abandoned,
      lost: exchanges.lost,
    },
    createAttempts: {
      total: exchanges.createAttempts,
      retries: total(counters.createRetries),
      aborted: createAttempts.aborted,
      abandoned: createAttempts.abandoned,
      lost: exchanges.createLost,
    },
    integrity: { replies: integrity.replies, failed: integrityFailures(integrity) },
  };
}
