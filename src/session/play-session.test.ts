import { describe, expect, test } from 'vitest';
import { type Answer, created, okReply, refusal, SessionLab } from '../../test/support/session-lab.ts';
import type { RetryPolicyOptions, Scenario } from '../scenario/scenario.ts';

const ok = okReply('s1');
const lab = (scenario: Partial<Scenario>, ...answers: Answer[]): SessionLab =>
  new SessionLab(scenario, [created('s1'), ...answers]);
const exact: RetryPolicyOptions = { jitter: 'none', base: '500ms' };
const outcomes = (played: SessionLab): string[] => played.turns.map(({ outcome }) => outcome);

/** Runs a session that is interrupted at an instant. */
async function interrupted(played: SessionLab, by: 'drain' | 'halt' | 'cut', atMs = 100): Promise<SessionLab> {
  const playing = played.play();
  await played.clock.run(atMs);
  if (by === 'cut') played.cut();
  else played.stopSignal.apply(by);
  await played.clock.finish(playing);
  return played;
}

describe('a session', () => {
  test('is created, then sends its turns one after another under one id', async () => {
    const played = await lab({ messages: ['a', 'b', 'c'], variableValues: { n: '{{session.number}}' } }).run();
    expect(
      played.sent.map(({ operation, body }) => [operation, body['sessionId'], body['message'], body['variableValues']]),
    ).toEqual([
      ['create', undefined, undefined, undefined],
      ['message', 's1', 'a', { n: 1 }],
      ['message', 's1', 'b', { n: 1 }],
      ['message', 's1', 'c', { n: 1 }],
    ]);
    expect(played.sent.map(({ at }) => at)).toEqual([0, 10, 20, 30]);
    expect(played.sessions).toMatchObject([
      { end: 'completed', endedAt: 40, plannedTurns: 3, skippedPriorFailure: 0, skippedRunEnd: 0 },
    ]);
  });

  test('waits its think time between the end of a turn and the next one', async () => {
    const played = await lab({ turns: 3, thinkTime: '2s' }).run();
    expect(played.turns.map(({ due, ready, firstSentAt, endedAt }) => [due, ready, firstSentAt, endedAt])).toEqual([
      [0, 10, 10, 20],
      [2020, 2020, 2020, 2030],
      [4030, 4030, 4030, 4040],
    ]);
  });

  test('stops after a turn that finally failed, and counts the others as skipped', async () => {
    const played = await lab({ turns: 4 }, ok, refusal(404, 'Agent not found')).run();
    expect(outcomes(played)).toEqual(['ok', 'agent_not_found']);
    expect(played.sessions).toMatchObject([{ end: 'failed', skippedPriorFailure: 2, skippedRunEnd: 0 }]);
  });

  test('continues after a failed turn with onFailedTurn: continue, and still counts as failed', async () => {
    const played = await lab({ turns: 3, onFailedTurn: 'continue' }, refusal(400, 'no')).run();
    expect(outcomes(played)).toEqual(['bad_request', 'ok', 'ok']);
    expect(played.sessions).toMatchObject([{ end: 'failed', skippedPriorFailure: 0 }]);
  });

  test('that cannot be created sends no turn', async () => {
    const played = await new SessionLab({ turns: 2 }, [refusal(404, 'Agent not found')]).run();
    expect(played.sent).toHaveLength(1);
    expect([played.sessions[0]?.end, played.createGaveUps, played.attempts[0]?.outcome]).toEqual([
      'create_failed',
      ['final'],
      'agent_not_found',
    ]);
  });

  test('retries its creation with the same policy', async () => {
    const played = await new SessionLab({ retry: exact }, [
      refusal(429, 'slow down'),
      { status: 200, body: '{}' },
    ]).run();
    expect(played.attempts.map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['create', 'rate_limited'],
      ['create', 'contract_broken'],
    ]);
    expect(played.retries).toMatchObject([{ operation: 'create', cause: 'rate_limited', plannedMs: 500 }]);
  });

  test('reads its ID from the configured path, with 200 or 201', async () => {
    const answer = { status: 200, body: '{"chat":{"id":"deep"}}' };
    const played = await new SessionLab({ target: { createSession: { sessionIdFrom: 'chat.id' } } }, [
      answer,
      okReply('deep'),
    ]).run();
    expect(played.sent[1]?.body['sessionId']).toBe('deep');
  });

  test('ends with the author’s error when a function of the scenario throws', async () => {
    const thrower = ({ turn }: { turn: { number: number } }): string => {
      if (turn.number === 2) throw new Error('oops');
      return 'fine';
    };
    const played = await lab({ turns: 3, messages: thrower }).run();
    expect(played.abandoned).toEqual(['A function of the scenario failed in session 1, turn 2: oops']);
    expect(played.sessions).toMatchObject([{ end: 'cut', skippedRunEnd: 2 }]);
  });
});

describe('retries', () => {
  const e429 = (retryAfter?: string): Answer => refusal(429, 'slow down', retryAfter);

  test('wait base, base x factor, ... and give up after maxAttempts', async () => {
    const played = await lab({ retry: exact }, e429(), e429(), e429(), e429()).run();
    expect(played.retries.map(({ plannedMs, actualMs }) => [plannedMs, actualMs])).toEqual([
      [500, 500],
      [1000, 1000],
      [2000, 2000],
    ]);
    expect(played.turns).toMatchObject([
      { outcome: 'rate_limited', attempts: 4, gaveUp: 'exhausted', backoffMs: 3500, firstSentAt: 10, endedAt: 3550 },
    ]);
  });

  test('are capped', async () => {
    const played = await lab({ retry: { ...exact, factor: 10, cap: '2s' } }, e429(), e429(), e429()).run();
    expect(played.retries.map(({ plannedMs }) => plannedMs)).toEqual([500, 2000, 2000]);
    expect(played.turns).toMatchObject([{ outcome: 'ok', attempts: 4 }]);
  });

  test.each<[NonNullable<RetryPolicyOptions['jitter']>, (planned: number, index: number) => boolean]>([
    ['full', (planned, i) => planned >= 0 && planned < 500 * 2 ** i],
    ['equal', (planned, i) => planned >= 250 * 2 ** i && planned < 500 * 2 ** i],
    ['decorrelated', (planned) => planned >= 500 && planned <= 30_000],
  ])('with %s jitter stay within its bounds, differ by session and repeat by seed', async (jitter, isWithin) => {
    const waits = async (number: number): Promise<number[]> =>
      (await lab({ retry: { jitter } }, e429(), e429(), e429(), e429()).run(number)).retries.map(
        ({ plannedMs }) => plannedMs,
      );
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => waits(i + 1)));
    expect(all.every((each) => each.length === 3 && each.every(isWithin))).toBe(true);
    expect(new Set(all.flat()).size).toBe(120);
    expect(await waits(7)).toEqual(all[6]);
  });

  test.each<[string, string | undefined, number, string]>([
    ['seconds above the backoff', '3', 3000, 'obeyed'],
    ['seconds below the backoff', '0', 500, 'obeyed'],
    ['an HTTP date', 'Thu, 01 Jan 2026 00:00:05 GMT', 4980, 'obeyed'],
    ['an asctime date', 'Thu Jan  1 00:00:05 2026', 4980, 'obeyed'],
    ['seconds above the cap', '45', 45_000, 'obeyed'],
    ['a past date', 'Thu, 01 Jan 1970 00:00:00 GMT', 500, 'invalid'],
    ['garbage', 'soon', 500, 'invalid'],
    ['a negative number', '-1', 500, 'invalid'],
    ['a fraction', '1.5', 1500, 'obeyed'],
    ['a number with a comma', '1,5', 500, 'invalid'],
    ['none', undefined, 500, 'absent'],
  ])('take Retry-After of %s (%s) as a wait of %d ms, %s', async (_, header, waitMs, use) => {
    const played = await lab({ retry: exact }, e429(header)).run();
    expect(played.retries).toMatchObject([{ plannedMs: waitMs, actualMs: waitMs, retryAfter: use }]);
  });

  test.each([
    ['a day late', 'Wed, 31 Dec 2025 00:00:00 GMT', 'Wed, 31 Dec 2025 00:00:05 GMT', 5000, 'obeyed'],
    ['an hour ahead', 'Thu, 01 Jan 2026 01:00:00 GMT', 'Thu, 01 Jan 2026 01:00:05 GMT', 5000, 'obeyed'],
    ['ahead of the date', 'Thu, 01 Jan 2026 01:00:00 GMT', 'Thu, 01 Jan 2026 00:59:00 GMT', 500, 'invalid'],
    ['not an HTTP date', 'yesterday', 'Thu, 01 Jan 2026 00:00:05 GMT', 4980, 'obeyed'],
  ])("read a date by the server's own clock, which is %s (Date: %s)", async (_, date, header, waitMs, use) => {
    const played = await lab({ retry: exact }, { ...e429(header), date }).run();
    expect(played.retries).toMatchObject([{ plannedMs: waitMs, actualMs: waitMs, retryAfter: use }]);
  });

  test.each<[string, Pick<Answer, 'status' | 'retryAfter' | 'waits'>, number, string]>([
    ['milliseconds', { retryAfter: '9', waits: { 'retry-after-ms': '700' } }, 700, 'obeyed'],
    ['the reset of a limit', { waits: { 'x-ratelimit-reset-requests': '6s' } }, 6000, 'obeyed'],
    [
      'a time since 1970',
      { waits: { 'ratelimit-reset': String(Date.UTC(2026, 0, 1, 0, 0, 5) / 1000) } },
      4980,
      'obeyed',
    ],
    ['an unknown field', { waits: { 'x-retry-after': '6' } }, 500, 'invalid'],
    ['a rest of a limit', { waits: { 'ratelimit-remaining': '0' } }, 500, 'absent'],
    ['the reset of a limit, in another failure', { status: 500, waits: { 'ratelimit-reset': '6' } }, 500, 'absent'],
  ])('take %s as a wait: %j', async (_, stated, waitMs, use) => {
    const played = await lab({ retry: exact }, { ...e429(), ...stated }).run();
    expect(played.retries).toMatchObject([{ plannedMs: waitMs, actualMs: waitMs, retryAfter: use }]);
  });

  test('report a wait that could not be read only for retried classes', async () => {
    const unread = async (status: number): Promise<unknown> =>
      (await lab({ retry: exact }, refusal(status, 'slow down', 'soon')).run()).attempts.map((each) => each.unreadWait);
    expect(await unread(429)).toEqual([undefined, 'Retry-After: soon', undefined]);
    expect(await unread(404)).toEqual([undefined, undefined]);
  });

  test('give up at once beyond maxRetryAfter, whatever states the wait', async () => {
    const waits = { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' };
    const played = await lab({ retry: exact }, { ...e429(), waits }).run();
    expect(played.turns).toMatchObject([{ outcome: 'rate_limited', attempts: 1, gaveUp: 'retry_after_too_long' }]);
  });

  test('obey Retry-After on any retried class', async () => {
    const played = await lab({ retry: exact }, refusal(503, 'Chat provider error', '7')).run();
    expect(played.retries).toMatchObject([{ cause: 'provider_error', plannedMs: 7000 }]);
  });

  test('give up at once beyond maxRetryAfter', async () => {
    const played = await lab({ retry: exact }, e429('61')).run();
    expect(played.turns).toMatchObject([{ outcome: 'rate_limited', attempts: 1, gaveUp: 'retry_after_too_long' }]);
    expect((await lab({ retry: exact }, e429('60')).run()).turns).toMatchObject([{ outcome: 'ok', attempts: 2 }]);
  });

  test('that ignore Retry-After are counted as violations', async () => {
    const played = await lab({ retry: { ...exact, respectRetryAfter: false } }, e429('99999999')).run();
    expect(played.retries).toMatchObject([{ plannedMs: 500, retryAfter: 'violated' }]);
  });

  test.each([
    [refusal(429, 'x'), 'rate_limited', true],
    [refusal(500, 'Internal server error'), 'internal_error', true],
    [refusal(502, 'bad gateway'), 'server_error', true],
    [refusal(429, 'Chat provider error'), 'provider_rate_limited', true],
    [refusal(529, 'Chat provider error'), 'provider_error', true],
    [{ failure: 'connect_failed' }, 'connect_failed', true],
    [{ failure: 'connection_lost' }, 'connection_lost', true],
    [{ failure: 'timed_out' }, 'timed_out', true],
    [refusal(400, 'Agent ID, message, and session ID are required'), 'missing_fields', false],
    [refusal(400, 'Agent does not have chat enabled'), 'chat_disabled', false],
    [refusal(404, 'who?'), 'not_found', false],
    [refusal(418, 'Chat provider error'), 'provider_rejected', false],
    [refusal(200, 'Chat provider error'), 'provider_rejected', false],
    [refusal(302, 'x'), 'http_other', false],
    [{ failure: 'malformed' }, 'malformed', false],
    [{ status: 200, body: '<html>' }, 'malformed', false],
    [{ status: 200, body: '[]' }, 'contract_broken', false],
  ] satisfies [Answer, string, boolean][])('of %j (%s) happen by default: %j', async (answer, outcome, isRetried) => {
    const played = await lab({ retry: exact }, answer).run();
    expect(played.attempts[1]?.outcome).toBe(outcome);
    expect(played.retries.length > 0).toBe(isRetried);
  });

  test('follow the classes of a policy', async () => {
    const played = await lab({ retry: { ...exact, classes: ['not_found'] } }, refusal(404, 'x'), e429()).run();
    expect(played.turns).toMatchObject([{ outcome: 'rate_limited', attempts: 2, gaveUp: 'final' }]);
  });

  test('stop when the budget is spent, and start again when the window has passed', async () => {
    const budget = { share: 0.4, window: '10s' } as const;
    const played = await lab(
      { turns: 3, onFailedTurn: 'continue', thinkTime: '20s', retry: { ...exact, maxAttempts: 9, budget } },
      e429(),
      e429(),
      e429(),
      ok,
      e429(),
      ok,
    ).run();
    // Create and first attempt are 2 attempts: 1 retry is at most 0.4 x 3; of 2 retries, 0.4 x 4 is not enough.
    expect(played.turns.map(({ attempts, gaveUp }) => [attempts, gaveUp])).toEqual([
      [2, 'budget'],
      [1, 'budget'],
      [1, undefined],
    ]);
  });
});

describe('stopping', () => {
  test('a drain lets a session finish', async () => {
    const played = await interrupted(lab({ turns: 3, thinkTime: '1s' }), 'drain', 500);
    expect(played.sessions).toMatchObject([{ end: 'completed' }]);
  });

  test('a cut aborts the attempt in flight and counts the remaining turns as skipped by the end of the run', async () => {
    const played = await interrupted(lab({ turns: 3 }, { ...ok, afterMs: Infinity }), 'cut');
    expect(outcomes(played)).toEqual(['aborted']);
    expect(played.sessions).toMatchObject([{ end: 'cut', skippedRunEnd: 2, skippedPriorFailure: 0 }]);
  });

  test('a cut ends a backoff: the turn is aborted, no retry is counted, no timer is left', async () => {
    const played = await interrupted(
      lab({ turns: 3, retry: { ...exact, base: '1h', cap: '2h' } }, refusal(429, 'x')),
      'cut',
    );
    expect([outcomes(played), played.retries, played.turns[0]?.endedAt]).toEqual([['aborted'], [], 100]);
    expect(played.turns[0]?.gaveUp).toBe('run_end');
    expect([played.sessions[0]?.skippedRunEnd, played.clock.pending]).toEqual([2, 0]);
  });

  test('a cut ends thinking', async () => {
    const played = await interrupted(lab({ turns: 3, thinkTime: '1h' }), 'cut');
    expect([outcomes(played), played.clock.now()]).toEqual([['ok'], 100]);
    expect(played.sessions).toMatchObject([{ end: 'cut', skippedRunEnd: 2 }]);
  });

  test('a cut while the session is being created ends it as create_cut', async () => {
    const played = await interrupted(new SessionLab({}, [{ afterMs: Infinity }]), 'cut');
    expect(played.sessions).toMatchObject([{ end: 'create_cut' }]);
  });

  test.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ])('status %d breaks the circuit: its session fails, nothing more is sent', async (status, outcome) => {
    const played = await lab({ turns: 3, onFailedTurn: 'continue' }, refusal(status, 'no')).run();
    expect([outcomes(played), played.circuit.length, played.sent.length]).toEqual([[outcome], 1, 2]);
    expect(played.sessions).toMatchObject([{ end: 'failed', skippedPriorFailure: 2, skippedRunEnd: 0 }]);
  });

  test.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ] as const)('status %d ends its session even if its class is to be retried', async (status, outcome) => {
    const retry = { ...exact, classes: ['unauthorized', 'forbidden'] } as const;
    const played = await lab({ turns: 3, retry }, refusal(status, 'no')).run();
    expect(played.turns).toMatchObject([{ outcome, gaveUp: 'final', attempts: 1 }]);
    expect(played.sessions).toMatchObject([{ end: 'failed', skippedPriorFailure: 2, skippedRunEnd: 0 }]);
    const uncreated = await new SessionLab({ retry }, [refusal(status, 'no')]).run();
    expect([uncreated.sent.length, uncreated.createGaveUps]).toEqual([1, ['final']]);
    expect(uncreated.sessions).toMatchObject([{ end: 'create_failed' }]);
  });

  test('a broken circuit lets exchanges in flight end with their class, unretried, and cuts the session', async () => {
    const played = await interrupted(lab({ turns: 3, retry: exact }, { ...refusal(429, 'x'), afterMs: 200 }), 'halt');
    expect(played.turns).toMatchObject([{ outcome: 'rate_limited', gaveUp: 'run_end', attempts: 1 }]);
    expect(played.sessions).toMatchObject([{ end: 'cut', skippedRunEnd: 2, skippedPriorFailure: 0 }]);
  });

  test('a failed turn that would not end its session leaves it cut when the run has ended', async () => {
    const played = await interrupted(
      lab({ turns: 3, onFailedTurn: 'continue' }, { ...refusal(400, 'no'), afterMs: 200 }),
      'halt',
    );
    expect(played.turns).toMatchObject([{ outcome: 'bad_request', gaveUp: 'final' }]);
    expect(played.sessions).toMatchObject([{ end: 'cut', skippedRunEnd: 2, skippedPriorFailure: 0 }]);
  });

  test('a provider’s 401 has a class of the provider and does not break the circuit', async () => {
    const played = await lab({}, refusal(401, 'Chat provider error')).run();
    expect([outcomes(played), played.circuit]).toEqual([['provider_rejected'], []]);
  });
});

test('a turn that waits for a slot when the run ends is not sent', async () => {
  const played = new SessionLab({ load: { concurrency: 2, maxTurnsInFlight: 1 } }, [
    created('a'),
    created('b'),
    { ...ok, afterMs: 500 },
  ]);
  const all = Promise.all([1, 2].map((number) => played.play(number)));
  await played.clock.run(100);
  played.stopSignal.apply('halt');
  await played.clock.finish(all);
  expect([played.sent.length, played.turns.length]).toEqual([3, 1]);
  expect(played.sessions.map(({ end, skippedRunEnd }) => [end, skippedRunEnd])).toContainEqual(['cut', 1]);
});

test('a bound on turns in flight makes turns wait, and the wait is lateness', async () => {
  const played = new SessionLab({ load: { concurrency: 3, maxTurnsInFlight: 1 } }, [
    created('a'),
    created('b'),
    created('c'),
  ]);
  const all = Promise.all([1, 2, 3].map((number) => played.play(number)));
  await played.clock.finish(all);
  expect(played.lateness).toEqual([0, 10, 20]);
  expect(played.turns.map(({ ready, firstSentAt }) => [ready, firstSentAt])).toEqual([
    [10, 10],
    [10, 20],
    [10, 30],
  ]);
});
