import { z } from 'zod';
import { checkNames } from '../session/integrity/check-names.ts';
import {
  attemptClassNames,
  failedClassNames,
  finishedClassNames,
  turnClassNames,
  type FailedClass,
} from '../protocol/outcome.ts';
import { positions } from './positions.ts';
import { sessionSumNames } from './session-sums.ts';

const retryAfterUses = ['obeyed', 'violated', 'absent', 'invalid'] as const;
const giveUps = ['final', 'exhausted', 'retry_after_too_long', 'budget', 'run_end'] as const;

/** Every counter with a fixed name, by group. Counts of creations are separate. */
const counterNames = {
  /** Attempts of turns, and of creations, by class. */
  attempts: attemptClassNames,
  createAttempts: attemptClassNames,
  /**
   * `attempts` and `createAttempts` once more, as a check; attempts with a response head; connections opened; stale
   * ones; retries that were in flight when the run was cut. Of a lost shard: attempts whose end is unknown, of turns and
   * of creations, and attempts that ended of turns whose own end is unknown.
   */
  exchanges: [
    ...(['attempts', 'createAttempts', 'answered', 'connected', 'stale', 'createStale'] as const),
    ...(['cutRetries', 'cutCreateRetries', 'lost', 'createLost', 'ofLostTurns'] as const),
  ],
  /** What replies cost: whole millionths, so that sums merge exactly. */
  spending: ['costMillionths'],
  /**
   * Replies in pieces: attempts with content (`ok`, `failed`: the others that were not aborted), with a content event
   * that is no reasoning (`answersOk`, ...), with reasoning, ok ones with a time a token (`timed`), and those that lacked
   * the mark behind the end; gaps between content events, and events that shared their read with the one before. Turns
   * whose last attempt had content. Retries of attempts with content. Tokens of ok turns, and how many told them.
   */
  streams: [
    ...(['ok', 'failed', 'answersOk', 'answersFailed', 'reasoned', 'timed', 'missingDone'] as const),
    ...(['gapsOk', 'gapsFailed', 'sharedReads', 'turnsOk', 'turnsFailed', 'retriesAfterContent'] as const),
    ...(['inputTokens', 'outputTokens', 'toldUsage'] as const),
  ],
  /**
   * By the position of the turn: attempts that were not aborted and the bytes of their bodies; those whose reply told the
   * tokens of its request, and these.
   */
  history: positions.flatMap(
    (position) => [`${position}.requests`, `${position}.bytes`, `${position}.told`, `${position}.inputTokens`] as const,
  ),
  turns: turnClassNames,
  /**
   * `planned`: turns of sessions that were created. `carried_over`: sent after the warm-up in a session that started
   * before its end. `good`: ok within the objective. `lost`: sent by a shard that was lost, with an end that is unknown.
   * `toolTurns`: ended, and said what tools gave.
   */
  turnFlow: ['planned', 'sent', 'carried_over', 'good', 'lost', 'toolTurns'],
  /**
   * `created`: that have an id, or need none. `uncreated`: of these, those whose protocol creates none. `lost`: under way
   * in a shard that was lost; `lost_creating`: of these, those that were being created.
   */
  sessions: [
    'started',
    'created',
    'completed',
    'failed',
    'cut',
    'create_failed',
    'create_cut',
    'dropped',
    'not_started',
    'not_started_due',
    'lost',
    'lost_creating',
    'uncreated',
  ],
  /** Retries by the class that was retried. */
  retries: finishedClassNames,
  createRetries: finishedClassNames,
  retryAfter: retryAfterUses,
  createRetryAfter: retryAfterUses,
  gaveUp: giveUps,
  createGaveUp: giveUps,
  sessionSums: sessionSumNames,
  /**
   * Replies by check; turns that the agent's list got wrong; replies in sessions that had an ambiguous retry before.
   * `replies`: all that were looked at. `untagged`: without a tag, before the first reply with one.
   */
  integrity: [
    'replies',
    'untagged',
    ...checkNames.flatMap((check) => [`${check}.checked`, `${check}.failed`] as const),
    'turns.lost',
    'turns.duplicated',
    'turns.reordered',
    'turns.repeated',
    'ambiguous.checked',
    'ambiguous.failed',
  ],
} as const;

type NamedGroup = keyof typeof counterNames;
/** Groups whose counters are numbers of attempts, from 1: turns, and ok turns, by how many they took. */
type AttemptGroup = 'turnsByAttempts' | 'okByAttempts';
const attemptGroups: readonly AttemptGroup[] = ['turnsByAttempts', 'okByAttempts'];

export type CounterGroup = NamedGroup | AttemptGroup;
export const counterGroups: readonly CounterGroup[] = [
  ...(Object.keys(counterNames) as NamedGroup[]),
  ...attemptGroups,
];

/** All counters, zeros included. */
export type Counters = { [Group in NamedGroup]: Record<(typeof counterNames)[Group][number], number> } & Record<
  AttemptGroup,
  Record<number, number>
>;

/** Counters as they are kept: what is not there is zero. */
export const storedCountersSchema = z.partialRecord(
  z.enum([...(Object.keys(counterNames) as NamedGroup[]), ...attemptGroups]),
  z.record(z.string(), z.int().min(1)),
);
type StoredCounters = z.infer<typeof storedCountersSchema>;

const zeros: readonly (readonly [CounterGroup, Readonly<Record<string, number>>])[] = [
  ...(Object.entries(counterNames) as [NamedGroup, readonly string[]][]).map(
    ([group, names]) => [group, Object.fromEntries(names.map((name) => [name, 0]))] as const,
  ),
  ...attemptGroups.map((group) => [group, {}] as const),
];

/** All zero. A copy: an interval of every phase and policy has its own, and building one anew takes far longer. */
export function newCounters(): Counters {
  return Object.fromEntries(zeros.map(([group, counts]) => [group, { ...counts }])) as Counters;
}

/** Adds counters to others, in place. */
export function addCounters(into: Counters, from: Counters | StoredCounters): void {
  for (const group of counterGroups) {
    const target: Record<string, number> = into[group];
    for (const [name, count] of Object.entries(from[group] ?? {})) target[name] = (target[name] ?? 0) + count;
  }
}

/** The sum of any number of counters. */
export function sumCounters(parts: readonly (Counters | StoredCounters)[]): Counters {
  const sum = newCounters();
  for (const part of parts) addCounters(sum, part);
  return sum;
}

/** The form that is kept: without the zeros. */
export function storeCounters(counters: Counters): StoredCounters {
  const stored: StoredCounters = {};
  for (const group of counterGroups) {
    const counted = Object.entries(counters[group]).filter(([, count]) => count !== 0);
    if (counted.length > 0) stored[group] = Object.fromEntries(counted);
  }
  return stored;
}

/** Turns that failed for good: sent, not broken off by us, and not ok. */
export function failedTurns(turns: Counters['turns']): number {
  return sumOfFailed(turns);
}

/** The same of attempts. */
export function failedAttempts(attempts: Counters['attempts']): number {
  return sumOfFailed(attempts);
}

const sumOfFailed = (counts: Readonly<Record<FailedClass, number>>): number =>
  failedClassNames.reduce((sum, name) => sum + counts[name], 0);

/** The sum of one group. */
export function total(group: Readonly<Record<string, number>>): number {
  return Object.values(group).reduce((sum, count) => sum + count, 0);
}

/** The attempts of turns that are counted by how many they took. */
export function weightedTotal(byAttempts: Counters['turnsByAttempts']): number {
  return Object.entries(byAttempts).reduce((sum, [attempts, turns]) => sum + Number(attempts) * turns, 0);
}
