import { describe, expect, test } from 'vitest';
import { attemptOf, exchangeOf, originOf, retryOf, turnOf } from '../../test/support/session-records.ts';
import { resultOf, snapshotOf } from '../../test/support/synthetic-result.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { instant, ms } from '../base/time.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { GiveUp, Observer } from '../session/observer.ts';
import { newSessionTally } from '../session/session-tally.ts';
import { finishedClassNames, type FinishedClass, type SessionEnd } from '../protocol/outcome.ts';
import { metricNamed } from './metrics/metrics.ts';
import type { Result } from './result.ts';

/** The result of ten seconds with only the events reported here. */
function resultFrom(scenario: Partial<Scenario>, tell: (observer: Observer) => void): Result {
  const plan = planFor(scenario);
  return resultOf({ plan, snapshot: snapshotOf(plan, 10_000, tell) });
}

const sessionAt = (at: number) => originOf({ due: instant(at), startedAt: instant(at) });

interface TurnGiven {
  at?: number;
  tookMs?: number;
  outcome?: FinishedClass | 'aborted';
  attempts?: number;
  gaveUp?: GiveUp;
}

/** A turn with its attempts and retries; all but the last attempt were alternately refused with 429 and 500. */
function tellTurn(observer: Observer, given: TurnGiven): void {
  const { at = 2000, tookMs = 100, outcome = 'ok', attempts = 1, gaveUp } = given;
  const [session, start, end] = [sessionAt(at), instant(at), instant(at + tookMs)];
  observer.turnSent(session, start, start);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const cause = attempt % 2 === 1 ? 'rate_limited' : 'internal_error';
    const result = attempt === attempts ? outcome : cause;
    const exchange = exchangeOf({ sentAt: start, firstByteAt: end, endedAt: end });
    observer.attempt(attemptOf({ session, attempt, countedFrom: start, outcome: result, exchange }));
    if (attempt === attempts) continue;
    const backoff = { plannedMs: ms(20), actualMs: ms(25), sentAt: end };
    const retryAfter = attempt === 1 ? 'obeyed' : 'absent';
    observer.retry(retryOf({ session, countedFrom: start, cause, ...backoff, retryAfter }));
  }
  const times = { due: start, ready: start, firstSentAt: start, endedAt: end };
  observer.turn(turnOf({ session, ...times, outcome, attempts, gaveUp }));
}

function tellSession(observer: Observer, at: number, end: SessionEnd): void {
  const session = sessionAt(at);
  observer.sessionStarted(session);
  if (!end.startsWith('create')) observer.sessionCreated(session, instant(at));
  const unsent = { plannedTurns: 0, skippedPriorFailure: 0, skippedRunEnd: 0, tally: newSessionTally() };
  observer.sessionEnded({ session, end, endedAt: instant(at + 500), ...unsent });
}

const valueOf = (name: string, result: Result) => metricNamed(name)?.read(result).value;

describe('retries', () => {
  const { retries } = resultFrom({ objective: '150ms' }, (observer) => {
    for (let i = 0; i < 6; i++) tellTurn(observer, {});
    tellTurn(observer, { attempts: 2, tookMs: 151 });
    tellTurn(observer, { attempts: 3, tookMs: 150 });
    tellTurn(observer, { attempts: 4, outcome: 'server_error', gaveUp: 'exhausted' });
    tellTurn(observer, { outcome: 'rate_limited', gaveUp: 'retry_after_too_long' });
    tellTurn(observer, { outcome: 'aborted' });
  });

  test('amplify turns into attempts', () => {
    expect(retries).toMatchObject({ turnsSent: 11, attempts: 17, retries: 6, amplification: 17 / 11 });
    expect(retries.attemptsPerTurn).toEqual({ 1: 8, 2: 1, 3: 1, 4: 1 });
  });

  test('recover turns, by the attempt that was ok', () => {
    expect(retries).toMatchObject({ recovered: 2, recoveredAt: { 2: 1, 3: 1 } });
    expect(retries.gaveUp).toEqual({ final: 0, exhausted: 1, tooLong: 1, budget: 0, runEnd: 0 });
  });

  test('have causes, of which some may have repeated work', () => {
    expect(retries.byCause).toMatchObject({ rate_limited: 4, internal_error: 2, timed_out: 0 });
    expect(retries.ambiguous).toBe(2);
    expect(retries.retryAfter).toEqual({ obeyed: 3, violated: 0, absent: 3, invalid: 0, tooLong: 1 });
  });

  const refusedBeforeWork: readonly FinishedClass[] = [
    ...(['rate_limited', 'connect_failed', 'missing_fields', 'chat_disabled', 'bad_request'] as const),
    ...(['unauthorized', 'forbidden', 'agent_not_found', 'not_found'] as const),
  ];
  test.each(finishedClassNames.filter((name) => name !== 'ok'))(
    'may have repeated work unless refused before it: %s',
    (cause) => {
      const told = resultFrom({}, (observer) => {
        observer.retry(retryOf({ cause }));
        observer.retry(retryOf({ cause, operation: 'create' }));
      }).retries;
      const ambiguous = refusedBeforeWork.includes(cause) ? 0 : 1;
      expect([told.ambiguous, told.creations.ambiguous]).toEqual([ambiguous, ambiguous]);
    },
  );

  test('cost the actual time of their backoffs', () => {
    expect(retries).toMatchObject({ backoffPlannedMs: 120, backoffActualMs: 150 });
  });

  test('define goodput as the share of ok turns in time among all ok and failed turns', () => {
    expect(retries.goodput).toEqual({ turns: 7, share: 0.7, perSecond: 0.7 });
  });
});

describe('rates and shares', () => {
  const result = resultFrom({ warmUp: '2s', sessions: 12, load: { sessionsPerSecond: 1 } }, (observer) => {
    tellSession(observer, 500, 'completed');
    tellSession(observer, 600, 'failed');
    for (const end of ['completed', 'completed', 'failed', 'cut', 'create_failed', 'create_cut'] as const)
      tellSession(observer, 3000, end);
    observer.sessionDropped(instant(700), 0);
    observer.sessionDropped(instant(4000), 0);
    tellTurn(observer, { at: 100 });
    for (let i = 0; i < 4; i++) tellTurn(observer, {});
    tellTurn(observer, { outcome: 'timed_out', gaveUp: 'final' });
  });

  test('use the time and the turns after the warm-up', () => {
    expect(result.rates).toMatchObject({
      measuredMs: 8000,
      turnsPerSecond: 5 / 8,
      attemptsPerSecond: 5 / 8,
      goodputPerSecond: 4 / 8,
      sessionsPerSecond: 3 / 8,
      sessionsStartedPerSecond: 6 / 8,
    });
    expect(valueOf('turns.failedShare', result)).toBe(0.2);
  });

  test('of sessions use the sessions after the warm-up', () => {
    expect(valueOf('sessions.failedShare', result)).toBe(2 / 4);
    expect(valueOf('sessions.startedShare', result)).toBe(6 / 7);
    expect(valueOf('sessions.dropped', result)).toBe(1);
  });

  test('of planned sessions equal the number in the plan, or without one the due sessions', () => {
    expect(result.books.sessions).toMatchObject({ planned: 12, started: 8, dropped: 2, create_failed: 1, cut: 1 });
    expect(result.books.warmUp.sessions).toMatchObject({ planned: 3, started: 2, dropped: 1, failed: 1 });
    const plan = { ...planFor({ duration: '10s' }), sessions: null };
    const snapshot = snapshotOf(plan, 10_000, (observer) => {
      tellSession(observer, 0, 'completed');
      observer.sessionsNotStarted({ count: 4, policy: 0, becameDue: true, due: instant(5) });
    });
    const timed = resultOf({ plan, snapshot });
    expect(timed.books.sessions).toMatchObject({ planned: 5, started: 1, not_started: 4, not_started_due: 4 });
  });
});

test('concurrency is weighted by time, over the whole measured part', () => {
  const { concurrency, intervals } = resultFrom({ warmUp: '1500ms' }, (observer) => {
    const [first, second] = [sessionAt(0), sessionAt(3000)];
    observer.turnSent(first, instant(0), instant(0));
    observer.turnSent(second, instant(3000), instant(3000));
    for (const [session, endMs] of [
      [second, 3500],
      [first, 4000],
    ] as const)
      observer.turn(turnOf({ session, firstSentAt: session.startedAt, endedAt: instant(endMs) }));
  });
  expect(concurrency).toMatchObject({ turns: { mean: 3 / 8.5, max: 2 }, sessions: { mean: 0, max: 0 } });
  expect(intervals.map((each) => each.concurrency?.turns.mean ?? null)).toEqual([
    1,
    1,
    1,
    1,
    1.5,
    null,
    0,
    0,
    0,
    0,
    0,
    0,
  ]);
  expect(intervals.find((each) => each.concurrency === null)).toMatchObject({
    startMs: 4000,
    lengthMs: 1000,
    warmUp: true,
  });
});

test('the rest of the warm-up at the very end is in an interval no longer than the run', () => {
  const plan = planFor({ warmUp: '1s' });
  const snapshot = snapshotOf(plan, 2300, (observer) => tellTurn(observer, { at: 900, tookMs: 1300 }));
  expect(
    resultOf({ plan, snapshot }).intervals.map(({ startMs, lengthMs, warmUp }) => [startMs, lengthMs, warmUp]),
  ).toEqual([
    [0, 1000, true],
    [1000, 1000, false],
    [2000, 300, true],
    [2000, 300, false],
  ]);
});
