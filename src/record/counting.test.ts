import { describe, expect, test } from 'vitest';
import { attemptOf, exchangeOf, retryOf, turnOf } from '../../test/support/session-records.ts';
import { snapshotOf } from '../../test/support/synthetic-result.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { instant, ms } from '../base/time.ts';
import type { AttemptRecord, Observer, TurnRecord } from '../session/observer.ts';
import type { Exchange } from '../session/send.ts';
import { newSessionTally } from '../session/session-tally.ts';
import { createRecorder } from './recorder.ts';
import type { Snapshot } from './snapshot.ts';

const session = { number: 1, policy: 0, due: instant(90), startedAt: instant(100) };

const exchange = exchangeOf({
  sentAt: instant(200),
  firstByteAt: instant(230),
  endedAt: instant(240),
  connectMs: ms(5),
  reused: false,
});
const attempt = (changed: Partial<AttemptRecord>, within: Partial<Exchange> = {}): AttemptRecord =>
  attemptOf({ session, countedFrom: instant(200), ...changed, exchange: { ...exchange, ...within } });
const times = { due: instant(90), ready: instant(150), firstSentAt: instant(200), endedAt: instant(500) };
const turn = (changed: Partial<TurnRecord>): TurnRecord => turnOf({ session, ...times, ...changed });

function told(tell: (observer: Observer) => void, objective?: '300ms' | '299ms') {
  const plan = planFor(objective === undefined ? {} : { objective });
  return only(snapshotOf(plan, 3000, tell));
}

function only({ totals }: Snapshot) {
  expect(totals).toHaveLength(1);
  const series = Object.entries(totals[0]?.series ?? {}).map(([name, { sumUs }]) => [name, sumUs / 1000]);
  return { counters: totals[0]?.counters, durations: Object.fromEntries(series) as Record<string, number> };
}

describe('counts', () => {
  test('of an ok attempt: its class, its whole length, its first byte and its connecting', () => {
    expect(told((observer) => observer.attempt(attempt({})))).toEqual({
      counters: {
        attempts: { ok: 1 },
        exchanges: { attempts: 1, answered: 1, connected: 1 },
        tokens: { replies: 1 },
      },
      durations: { 'attempt.ok': 40, firstByte: 30, connect: 5 },
    });
  });

  test('of a reply that the integrity guard examined: checks, failures, and wrong turns', () => {
    const checked = ['answered', 'stale', 'turns'] as const;
    const reply = { session, turn: 2, countedFrom: instant(200), endedAt: instant(240), checked, detail: '' };
    const facts = { untagged: false, turnsBetween: undefined, retriesBetween: undefined, idleMs: undefined };
    const { counters } = told((observer) => {
      const turnFaults = { lost: 2, duplicated: 0, reordered: 3, repeated: 1 };
      observer.integrity({ ...reply, ...facts, failed: 'turns', turnFaults, afterAmbiguousRetry: true });
      observer.integrity({ ...reply, ...facts, failed: undefined, turnFaults: undefined, afterAmbiguousRetry: true });
      observer.integrity({ ...reply, ...facts, failed: undefined, turnFaults: undefined, afterAmbiguousRetry: false });
    });
    expect(counters?.integrity).toEqual({
      replies: 3,
      'answered.checked': 3,
      'stale.checked': 3,
      'turns.checked': 3,
      'turns.failed': 1,
      'turns.lost': 2,
      'turns.reordered': 3,
      'turns.repeated': 1,
      'ambiguous.checked': 2,
      'ambiguous.failed': 1,
    });
  });

  test('of an attempt without a response head, on a kept connection: its class and length', () => {
    const lost = attempt({ outcome: 'timed_out' }, { firstByteAt: undefined, connectMs: undefined, reused: true });
    expect(told((observer) => observer.attempt(lost))).toEqual({
      counters: { attempts: { timed_out: 1 }, exchanges: { attempts: 1 } },
      durations: { 'attempt.failed': 40 },
    });
  });

  test('of an attempt whose response broke off within its head: no first byte, because there was no response head', () => {
    const broken = attempt({ outcome: 'connection_lost' }, { status: 0, connectMs: undefined });
    expect(told((observer) => observer.attempt(broken))).toEqual({
      counters: { attempts: { connection_lost: 1 }, exchanges: { attempts: 1 } },
      durations: { 'attempt.failed': 40 },
    });
  });

  test('of an aborted attempt: its class, and its wait if nothing was tried before, in a series of its own', () => {
    const aborted = (changed: Partial<AttemptRecord>) =>
      told((observer) => observer.attempt(attempt({ outcome: 'aborted', ...changed })));
    expect(aborted({})).toEqual({
      counters: { attempts: { aborted: 1 }, exchanges: { attempts: 1 } },
      durations: { cutTurn: 40 },
    });
    expect(aborted({ attempt: 2 })).toEqual({
      counters: { attempts: { aborted: 1 }, exchanges: { attempts: 1, cutRetries: 1 } },
      durations: {},
    });
    expect(aborted({ operation: 'create' })).toEqual({
      counters: { createAttempts: { aborted: 1 }, exchanges: { createAttempts: 1 } },
      durations: { cutCreation: 40 },
    });
    expect(aborted({ operation: 'create', attempt: 2 })).toEqual({
      counters: { createAttempts: { aborted: 1 }, exchanges: { createAttempts: 1, cutCreateRetries: 1 } },
      durations: {},
    });
  });

  test('of a create attempt: its class, in no series', () => {
    expect(told((observer) => observer.attempt(attempt({ operation: 'create', turn: 0 })))).toEqual({
      counters: { createAttempts: { ok: 1 }, exchanges: { createAttempts: 1 } },
      durations: {},
    });
  });

  test.each([
    ['a kept connection before any byte', { reused: true, firstByteAt: undefined }, 1],
    ['a kept connection in mid-response', { reused: true }, undefined],
    ['a new connection', { reused: false, firstByteAt: undefined }, undefined],
  ])('as stale when lost on %s: %s', (_, within, stale) => {
    for (const [operation, name] of [
      ['message', 'stale'],
      ['create', 'createStale'],
    ] as const) {
      const { counters } = told((observer) =>
        observer.attempt(attempt({ operation, outcome: 'connection_lost' }, within)),
      );
      expect(counters?.exchanges?.[name]).toBe(stale);
    }
    const other = attempt({ outcome: 'timed_out' }, { reused: true, firstByteAt: undefined });
    expect(told((observer) => observer.attempt(other)).counters?.exchanges?.['stale']).toBeUndefined();
  });

  test('of a turn: from its first send, and from its due instant', () => {
    expect(told((observer) => observer.turn(turn({ attempts: 3 })))).toEqual({
      counters: {
        turns: { ok: 1 },
        turnFlow: { good: 1 },
        turnsByAttempts: { 3: 1 },
        okByAttempts: { 3: 1 },
        replyEnds: { none: 1 },
      },
      durations: { 'turn.1.ok': 300, 'effective.ok': 410 },
    });
    expect(told((observer) => observer.turn(turn({ turn: 12, outcome: 'timed_out', gaveUp: 'exhausted' })))).toEqual({
      counters: { turns: { timed_out: 1 }, gaveUp: { exhausted: 1 }, turnsByAttempts: { 1: 1 } },
      durations: { 'turn.9-16.failed': 300, 'effective.failed': 410 },
    });
    expect(told((observer) => observer.turn(turn({ outcome: 'aborted' })))).toEqual({
      counters: { turns: { aborted: 1 }, turnsByAttempts: { 1: 1 } },
      durations: {},
    });
  });

  test('as a tool turn: a turn that sent tool results, however it ended', () => {
    const { counters } = told((observer) => {
      observer.turn(turn({ saysToolResults: true }));
      observer.turn(turn({ saysToolResults: true, outcome: 'timed_out' }));
      observer.turn(turn({ saysToolResults: false }));
    });
    expect(counters?.turnFlow?.['toolTurns']).toBe(2);
  });

  test('as good: an ok turn within the objective', () => {
    const goodUnder = (objective: '300ms' | '299ms', outcome: TurnRecord['outcome'] = 'ok') =>
      told((observer) => observer.turn(turn({ outcome })), objective).counters?.turnFlow?.['good'];
    expect([goodUnder('300ms'), goodUnder('299ms'), goodUnder('300ms', 'timed_out')]).toEqual([
      1,
      undefined,
      undefined,
    ]);
  });

  test('of a sent turn: its lateness, which clock jitter cannot make negative', () => {
    const { counters, durations } = told((observer) => {
      observer.turnSent(session, instant(200), instant(203.5));
      observer.turnSent(session, instant(300), instant(299.999));
    });
    expect(counters).toEqual({ turnFlow: { sent: 2 } });
    expect(durations).toEqual({ lateness: 3.5 });
  });

  test('of a retry: its cause, the use of Retry-After, and the planned and actual backoff', () => {
    const retry = retryOf({ plannedMs: ms(50), actualMs: ms(51), retryAfter: 'obeyed', sentAt: instant(900) });
    expect(told((observer) => observer.retry(retry))).toEqual({
      counters: { retries: { rate_limited: 1 }, retryAfter: { obeyed: 1 } },
      durations: { backoff: 50, backoffActual: 51 },
    });
    expect(told((observer) => observer.retry({ ...retry, operation: 'create' }))).toEqual({
      counters: { createRetries: { rate_limited: 1 }, createRetryAfter: { obeyed: 1 } },
      durations: {},
    });
  });

  test('of a session: its start, its creation with its duration, and its end with the turns never sent', () => {
    const tally = newSessionTally();
    const ended = { session, endedAt: instant(900), plannedTurns: 9, skippedPriorFailure: 4, skippedRunEnd: 2, tally };
    const { counters, durations } = told((observer) => {
      observer.sessionStarted(session);
      observer.sessionCreated(session, instant(150));
      observer.sessionEnded({ ...ended, end: 'failed' });
      observer.createGaveUp(session, 'final', instant(950));
      observer.sessionEnded({ ...ended, end: 'create_failed', skippedPriorFailure: 0, skippedRunEnd: 0 });
      observer.sessionDropped(instant(90), 0);
      observer.sessionsNotStarted({ count: 5, policy: 0, becameDue: false, due: instant(90) });
      observer.sessionsNotStarted({ count: 3, policy: 0, becameDue: true, due: instant(90) });
    });
    expect(counters).toEqual({
      sessions: { started: 1, created: 1, failed: 1, create_failed: 1, dropped: 1, not_started: 8, not_started_due: 3 },
      createGaveUp: { final: 1 },
      turnFlow: { planned: 9 },
      turns: { skipped_prior_failure: 4, skipped_run_end: 2 },
      sessionSums: { refused: 1, asked: 9, askedSquared: 81 },
    });
    expect(durations).toEqual({ sessionCreate: 50 });
  });
});

test('the name of a model without a price is redacted, because a service could send the key as it', () => {
  const redact = (text: string): string => text.replace('secret', '[redacted]');
  const recorder = createRecorder({ plan: planFor(), startedAt: instant(0), redact });
  recorder.attempt(attempt({ price: { nanos: 0, isWhole: false, unpriced: 'model-secret' } }));
  recorder.attempt(attempt({ price: { nanos: 0, isWhole: true, substituted: 'other-secret' } }));
  for (const operation of ['message', 'create'] as const)
    recorder.attempt(attempt({ operation, outcome: 'rate_limited', unreadWait: 'Retry-After: secret' }));
  const [totals] = recorder.totals().filter(({ warmUp }) => !warmUp);
  expect(totals?.counters).toMatchObject({
    unpricedModels: { 'model-[redacted]': 1 },
    substitutedPrices: { 'other-[redacted]': 1 },
    unreadWaits: { 'Retry-After: [redacted]': 2 },
    unknownCosts: { ok: 1 },
  });
});
