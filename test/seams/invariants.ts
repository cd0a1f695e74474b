import type { Plan } from '../../src/plan/plan.ts';
import type { Interval } from '../../src/result/sections/intervals.ts';
import type { Foreseen } from './oracle/facts.ts';
import type { Played } from './play.ts';

/** Checks the invariants of every run against the service's own record; returns the broken ones. */
export function brokenInvariants(plan: Plan, { result, served, leftTimers }: Played, ended: Foreseen): string[] {
  const messages = served.filter(({ operation }) => operation === 'message');
  const creations = served.filter(({ operation }) => operation === 'create');
  const { books, retries, intervals, rates } = result;
  const { due, started } = dueOf(books);
  const max = plan.load.model === 'open' ? (plan.load.maxConcurrency ?? Infinity) : Infinity;
  const claims: Record<string, boolean> = {
    'the books balance': books.balanced === true && books.broken.length === 0,
    'what was started is at most what was due': started <= due,
    'a turn takes one attempt at least': (retries.amplification ?? 1) >= 1,
    'messages at the service = attempts in the books': messages.length === books.attempts.total,
    'creations at the service = create attempts in the books': creations.length === books.createAttempts.total,
    'no session starts once the run is drained':
      creations.filter(({ sentAt }) => sentAt <= ended.drainedAt).length >= books.sessions.started,
    'nothing is sent once the run is halted': served.every(({ sentAt }) => sentAt <= ended.haltedAt),
    'nothing is in flight once the run is cut': served.every(({ endedAt }) => endedAt <= ended.cutAt),
    'maxTurns is kept': messages.length <= (plan.maxTurns ?? Infinity),
    'maxSessions is kept': creations.length <= (plan.maxSessions ?? Infinity),
    'maxTurnsInFlight is kept': maxAtOnce(messages) <= (plan.load.maxTurnsInFlight ?? Infinity),
    'maxConcurrency is kept': maxAtOnce(creations) <= max && result.concurrency.sessions.max <= max,
    'no turn comes before the one before it': comeInOrder(messages),
    'every attempt of a turn is numbered once': new Set(messages.map(keyOf)).size === messages.length,
    'no timer is left': leftTimers === 0,
    'intervals add up to the books': intervalsAddUp(result),
    'intervals cover the run': Math.abs(coveredMs(intervals) - result.run.durationMs) < 0.01,
    'the measured time is not longer than the run': rates.measuredMs <= result.run.durationMs,
    'no figure is negative or not a number': numbersIn(result).every((each) => Number.isFinite(each) && each >= 0),
  };
  return Object.entries(claims).flatMap(([claim, holds]) => (holds ? [] : [claim]));
}

/** Reports whether the intervals add up to the counts of the run. */
function intervalsAddUp({ books, intervals }: Played['result']): boolean {
  const sum = (of: (interval: Interval) => number): number => intervals.reduce((so, each) => so + of(each), 0);
  const { turns, attempts, createAttempts, sessions } = books;
  const pairs: readonly (readonly [number, number])[] = [
    [turns.sent, sum((each) => each.turns.sent)],
    [turns.ok, sum((each) => each.turns.ok)],
    [turns.failed, sum((each) => each.turns.failed)],
    [attempts.total, sum((each) => each.attempts.total)],
    [attempts.retries, sum((each) => each.attempts.retries)],
    [createAttempts.total, sum((each) => each.createAttempts.total)],
    [sessions.started, sum((each) => each.sessions.started)],
    [sessions.created, sum((each) => each.sessions.created)],
    [sessions.started, sum((each) => each.sessions.ended)],
  ];
  return pairs.every(([booked, told]) => booked === told);
}

function dueOf({ sessions, warmUp }: Played['result']['books']): { due: number; started: number } {
  const measured = (name: 'started' | 'dropped' | 'not_started_due'): number => sessions[name] - warmUp.sessions[name];
  const started = measured('started');
  return { due: started + measured('dropped') + measured('not_started_due'), started };
}

type Span = Pick<Played['served'][number], 'sentAt' | 'endedAt'>;

const maxAtOnce = (spans: readonly Span[]): number =>
  Math.max(
    0,
    ...spans.map(({ sentAt }) => spans.filter((each) => each.sentAt <= sentAt && sentAt < each.endedAt).length),
  );

const keyOf = ({ session, turn, attempt }: Played['served'][number]): string =>
  [session, turn, attempt].map(String).join(' ');

/** Reports whether every attempt of a session is sent after the previous one has ended. */
function comeInOrder(messages: Played['served']): boolean {
  const last = new Map<number, Played['served'][number]>();
  return messages.every((message) => {
    const before = last.get(message.session);
    last.set(message.session, message);
    if (before === undefined) return message.turn === 1 && message.attempt === 1;
    const follows = before.turn === message.turn ? before.attempt + 1 : 1;
    const isNext = message.turn === before.turn || message.turn === before.turn + 1;
    return isNext && message.attempt === follows && message.sentAt >= before.endedAt;
  });
}

/** Sums the covered time, both parts of the interval at the warm-up's end included; leftovers of the warm-up cover none. */
const coveredMs = (intervals: Played['result']['intervals']): number =>
  intervals.reduce((total, { lengthMs, concurrency }) => total + (concurrency === null ? 0 : lengthMs), 0);

const numbersIn = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};
