import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { isWhole } from '../support/trials.ts';
import { witness, type ServiceModel, type Served } from '../support/virtual-run.ts';

const ok: ServiceModel = () => ({ afterMs: 50 });
const count = (served: readonly Served[], operation: Served['operation']): number =>
  served.filter((each) => each.operation === operation).length;

/** Every stopped run reports the reason, and accounts for everything planned. */
function expectWhole({ run, books, spending }: Result, served: readonly Served[]): void {
  expect([books.balanced, books.broken]).toEqual([true, []]);
  expect([spending.turns, spending.sessions]).toEqual([count(served, 'message'), count(served, 'create')]);
  expect(run.stop === null).toBe(run.status === 'completed');
}

async function stopped(scenario: Partial<Scenario>, model: ServiceModel = ok) {
  const { result, served, leftTimers } = await witness(scenario, model);
  expectWhole(result, served);
  expect(leftTimers).toBe(0);
  return { result, served, books: result.books, stop: result.run.stop };
}

describe('a cap on turns', () => {
  test('ends a run after exactly as many messages, and cuts its sessions', async () => {
    const { stop, served, books } = await stopped({ sessions: 100, turns: 4, load: { concurrency: 5 }, maxTurns: 30 });
    expect(stop).toMatchObject({ kind: 'cap', reason: 'maxTurns (30) was reached' });
    expect(stop?.atMs).toBe(Math.max(...served.map(({ endedAt }) => endedAt)));
    expect(count(served, 'message')).toBe(30);
    expect([books.turns.ok, books.turns.aborted]).toEqual([30, 0]);
    expect(books.sessions.not_started).toBeGreaterThan(80);
    expect(books.turns.skipped_run_end).toBeGreaterThan(0);
  });

  test('that equals the need of the run lets it end normally', async () => {
    const { stop } = await stopped({ sessions: 10, turns: 3, maxTurns: 30 });
    expect(stop).toBeNull();
  });

  test('counts retries, and ends a backoff', async () => {
    const model: ServiceModel = (operation) => ({ afterMs: 10, ...(operation === 'message' ? { status: 503 } : {}) });
    const { served, result } = await stopped(
      { sessions: 2, load: { concurrency: 1 }, retry: { maxAttempts: 9, jitter: 'none', base: '1s' }, maxTurns: 3 },
      model,
    );
    expect(count(served, 'message')).toBe(3);
    expect([result.books.turns.sent, result.books.turns.aborted, result.retries.retries]).toEqual([1, 1, 2]);
  });
});

describe('a cap on sessions', () => {
  test.each<[string, Scenario['load'], Partial<Scenario>]>([
    ['closed load with a count', { concurrency: 5 }, { sessions: 100 }],
    ['closed load with a duration', { concurrency: 5 }, { duration: '1h' }],
    ['open load with a count', { sessionsPerSecond: 20, arrivals: 'poisson' }, { sessions: 100 }],
    ['open load with a duration', { sessionsPerSecond: 20 }, { duration: '1h' }],
    ['open load with a bound', { sessionsPerSecond: 50, maxConcurrency: 2 }, { sessions: 100 }],
    ['open load that drops', { sessionsPerSecond: 1, maxConcurrency: 2, whenFull: 'drop' }, { sessions: 2000 }],
  ])('under %s ends the run as a count would: all sessions run to their end', async (_, load = {}, length) => {
    const scenario = { ...length, load, turns: 3, thinkTime: '1m', gracePeriod: '1s', maxSessions: 12 } as const;
    const { stop, served, books, result } = await stopped(scenario);
    expect(stop).toMatchObject({ kind: 'cap', reason: 'maxSessions (12) was reached' });
    expect([count(served, 'create'), books.sessions.completed, books.sessions.cut]).toEqual([12, 12, 0]);
    expect(result.books.sessions.not_started_due).toBe(0);
    if (books.sessions.dropped === 0)
      expect(result.validity.reasons.map(({ code }) => code)).not.toContain('sessions_not_offered');
  });

  test('equal to the number of sessions lets the run end normally', async () => {
    expect((await stopped({ sessions: 12, maxSessions: 12 })).stop).toBeNull();
  });

  test('counts retries', async () => {
    let creations = 0;
    const model: ServiceModel = (operation) =>
      operation === 'create' && ++creations % 2 === 1 ? { afterMs: 5, status: 503 } : { afterMs: 5 };
    const { served, books } = await stopped({ sessions: 50, load: { concurrency: 1 }, maxSessions: 9 }, model);
    expect([count(served, 'create'), books.sessions.completed, books.sessions.create_cut]).toEqual([9, 4, 1]);
  });
});

describe('a cap on cost', () => {
  const cost = (data: Readonly<Record<string, unknown>>): number => Number(data['price']);
  const priced: ServiceModel = () => ({ afterMs: 100, data: { price: 0.001 } });

  test('ends the run once replies have cost as much, except requests in flight', async () => {
    const { stop, served, result } = await stopped(
      { sessions: 1000, turns: 5, load: { concurrency: 7 }, cost, maxCost: 0.05 },
      priced,
    );
    expect(stop?.reason).toMatch(/^maxCost \(0\.05\) was reached: replies cost 0\.05\d?$/);
    const messages = count(served, 'message');
    expect(messages).toBeGreaterThanOrEqual(50);
    expect(messages).toBeLessThan(50 + 7);
    expect(result.spending.cost).toBe(messages / 1000);
  });

  test('is reported with the warm-up in it, and to a billionth, however little a reply costs', async () => {
    const { result } = await stopped({ sessions: 300, turns: 1, warmUp: '1s', cost }, () => ({
      afterMs: 100,
      data: { price: 0.000_000_37 },
    }));
    expect(result.books.warmUp.turns.ok).toBeGreaterThan(0);
    expect(result.spending.cost).toBe(0.000_111);
  });

  test('counts replies that break a check of the scenario, which cost no less', async () => {
    const { result } = await stopped({ sessions: 3, cost, checks: { never: () => false } }, priced);
    expect([result.spending.cost, result.outcomes.attempts.check_failed]).toEqual([0.003, 3]);
  });

  test('is null if no cost is given', async () => {
    expect((await stopped({ sessions: 1 })).result.spending.cost).toBeNull();
  });

  test.each<[string, (data: Readonly<Record<string, unknown>>) => number, string]>([
    ['throws', () => { throw new Error('oops'); }, 'oops'], // prettier-ignore
    [
      'gives no number',
      () => 'much' as unknown as number,
      'it returned a value of type string, not a number from 0 to',
    ],
    ['gives nothing', () => undefined as unknown as number, 'it returned nothing, not a number'],
    ['gives NaN', () => NaN, 'it returned NaN, not a number'],
    ['gives less than 0', () => -0.01, 'it returned -0.01, not a number'],
    ['gives no end', () => Infinity, 'it returned Infinity, not a number'],
  ])('a function that %s is the scenario’s error', async (_, broken, words) => {
    const { stop, served } = await stopped({ sessions: 50, load: { concurrency: 1 }, cost: broken });
    expect(stop?.kind).toBe('scenario_error');
    expect(stop?.reason).toContain(`The function cost of the scenario failed in session 1, turn 1: ${words}`);
    expect(served).toHaveLength(2);
  });
});

test('no cap is ever exceeded by the requests that the service receives, and the counts are consistent', async () => {
  const cap = fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined });
  const load = fc.constantFrom<NonNullable<Scenario['load']>>(
    { concurrency: 50 },
    { concurrency: 3, maxTurnsInFlight: 2 },
    { sessionsPerSecond: 40, arrivals: 'poisson' },
    { sessionsPerSecond: 40, maxConcurrency: 5 },
    { sessionsPerSecond: 40, maxConcurrency: 5, whenFull: 'drop' },
  );
  const plan = fc.record({
    maxTurns: cap,
    maxSessions: cap,
    maxCost: cap,
    load,
    failing: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      plan,
      fc.constantFrom<Partial<Scenario>>({ sessions: 90 }, { duration: '4s' }),
      async (drawn, length) => {
        const { maxTurns, maxSessions, maxCost, failing } = drawn;
        let nth = 0;
        const model: ServiceModel = () => ({
          afterMs: 20 + (nth % 7) * 15,
          ...(nth++ % 4 < failing ? { status: 503 } : { data: { cost: 1 } }),
        });
        const { result, served } = await stopped(
          {
            ...length,
            load: drawn.load,
            turns: 3,
            retry: { base: '50ms', maxAttempts: 3 },
            ...(maxTurns === undefined ? {} : { maxTurns }),
            ...(maxSessions === undefined ? {} : { maxSessions }),
            ...(maxCost === undefined ? {} : { maxCost }),
            cost: (data) => Number(data['cost']),
          },
          model,
        );
        expect(count(served, 'message')).toBeLessThanOrEqual(maxTurns ?? Infinity);
        expect(count(served, 'create')).toBeLessThanOrEqual(maxSessions ?? Infinity);
        const answeredBefore = (at: number): number =>
          served.filter(({ operation, status, endedAt }) => operation === 'message' && status === 200 && endedAt < at)
            .length;
        for (const { sentAt } of served) expect(answeredBefore(sentAt)).toBeLessThan(maxCost ?? Infinity);
        expect(result.run.stop?.kind ?? 'cap').toBe('cap');
      },
    ),
    { numRuns: isWhole ? 60 : 20 },
  );
});

describe('the longest duration', () => {
  test('drains a run that is bound by its count, and cuts it when the grace period is over', async () => {
    const { stop, books, result } = await stopped({
      sessions: 1000,
      turns: 3,
      thinkTime: '4s',
      load: { concurrency: 5 },
      maxDuration: '1m',
      gracePeriod: '5s',
    });
    expect(stop).toEqual({
      kind: 'max_duration',
      reason: 'maxDuration (60 s) was reached',
      remedy: null,
      atMs: 60_000,
    });
    expect(result.run.durationMs).toBeGreaterThanOrEqual(60_000);
    expect(result.run.durationMs).toBeLessThanOrEqual(65_000);
    expect(books.sessions.not_started).toBeGreaterThan(900);
  });

  test('that is not reached changes nothing', async () => {
    expect((await stopped({ sessions: 10, maxDuration: '1h' })).stop).toBeNull();
  });
});

describe('a run without progress', () => {
  const failingFrom =
    (fromMs: number, how: ReturnType<ServiceModel>): ServiceModel =>
    (_, at) =>
      at < fromMs ? { afterMs: 50 } : how;
  const long = { duration: '8h', load: { concurrency: 5 }, turns: 4, thinkTime: '1s', warmUp: '1m' } as const;

  test('is stopped when no turn was ok for a minute, although sessions are created all the time', async () => {
    const model: ServiceModel = (operation) => (operation === 'create' ? { afterMs: 5 } : { afterMs: 50, status: 503 });
    const { stop, result } = await stopped({ ...long, duration: '3m', warmUp: '0s' }, model);
    expect(stop?.kind).toBe('no_success');
    expect(stop?.reason).toMatch(/^no turn was ok for 6\d s\. \d+ attempts failed, the first with provider_error/);
    expect(result.run.durationMs).toBeLessThan(65_000);
    expect(result.books.sessions.created).toBeGreaterThan(20);
  });

  test('is stopped when nothing was ok for a minute', async () => {
    const { stop, result } = await stopped(long, failingFrom(100_000, { afterMs: 50, status: 503 }));
    expect(stop?.kind).toBe('no_success');
    expect(stop?.reason).toMatch(
      /^no turn was ok for 6\d s\. \d+ attempts failed, the first with provider_error: status 503/,
    );
    expect(result.run.durationMs).toBeGreaterThan(155_000);
    expect(result.run.durationMs).toBeLessThan(175_000);
  });

  test('is stopped when the target could not be reached for half a minute', async () => {
    const { stop, result } = await stopped(long, failingFrom(100_000, { afterMs: 2, failure: 'connect_failed' }));
    expect(stop?.kind).toBe('target_gone');
    expect(stop?.reason).toMatch(
      /^the target could not be reached for 3\d s\. \d+ attempts failed, .*: it connect_failed$/,
    );
    expect(result.run.durationMs).toBeLessThan(145_000);
  });

  test('is stopped when a service accepts and never answers', async () => {
    const { stop, result } = await stopped(
      { ...long, timeout: '20s' },
      failingFrom(100_000, { afterMs: 20_000, failure: 'timed_out' }),
    );
    expect(stop?.kind).toBe('no_success');
    expect(result.run.durationMs).toBeLessThan(220_000);
  });

  test.each<[string, Scenario['stopWhen'], ReturnType<ServiceModel>]>([
    ['noSuccess', { noSuccess: false }, { afterMs: 50, status: 503 }],
    ['targetGone', { noSuccess: false, targetGone: false }, { afterMs: 2, failure: 'connect_failed' }],
  ])('continues if %s is turned off', async (_, stopWhen = {}, how) => {
    const { stop } = await stopped({ ...long, duration: '4m', stopWhen }, failingFrom(100_000, how));
    expect(stop).toBeNull();
  });

  test('is not stopped by a service that is away for a while, or that answers now and then', async () => {
    const away: ServiceModel = (_, at) =>
      at > 120_000 && at < 145_000 ? { afterMs: 2, failure: 'connect_failed' } : { afterMs: 9 };
    expect((await stopped({ ...long, duration: '4m' }, away)).stop).toBeNull();
    const rarely: ServiceModel = (_, at) =>
      Math.floor(at / 1000) % 30 < 29 ? { afterMs: 500, status: 503 } : { afterMs: 500 };
    expect((await stopped({ ...long, duration: '4m', retry: 'none' }, rarely)).stop).toBeNull();
  });
});

/** `3m 25s` as a number. */
const secondsOf = (text: string): number => {
  const [minutes = NaN, seconds = NaN] = text.split('m ').map(parseFloat);
  return minutes * 60 + seconds;
};

describe('a gate with abort', () => {
  const worseFrom =
    (fromMs: number): ServiceModel =>
    (operation, at) =>
      operation === 'message' && at >= fromMs ? { afterMs: 900, status: 404 } : { afterMs: 100 };
  const long = { duration: '8h', load: { concurrency: 10 }, thinkTime: '1s', turns: 3, warmUp: '30s' } as const;

  test('stops the run within seconds of its failing, and is in the result', async () => {
    const gates = { 'turns.failedShare': { gate: '< 5%', abort: true, after: '1m' } } as const;
    const { stop, result, served } = await stopped({ ...long, gates }, worseFrom(100_000));
    expect(stop?.kind).toBe('gate');
    const [, actedAt = '', measured = ''] =
      /^the gate turns\.failedShare < 5% failed at (\dm \d\ds): it was \d\.\d\d % over the (\dm \d\ds) measured$/.exec(
        stop?.reason ?? '',
      ) ?? [];
    // It acts at once; its input ended up to two seconds ago, and the warm-up is excluded.
    expect([secondsOf(actedAt) % 5, stop?.atMs]).toEqual([0, secondsOf(actedAt) * 1000]);
    expect(secondsOf(actedAt) - secondsOf(measured)).toBeOneOf([30, 31, 32]);
    expect(Math.max(...served.map(({ sentAt }) => sentAt))).toBeLessThanOrEqual(stop?.atMs ?? 0);
    expect(result.gates[0]).toMatchObject({ metric: 'turns.failedShare', condition: '< 5%', verdict: 'fail' });
    expect(result.run.durationMs).toBeLessThan(200_000);
  });

  test('is first judged when so much was measured, the warm-up not counted', async () => {
    const gates = { 'turns.failedShare': { gate: '< 5%', abort: true, after: '1m' } } as const;
    const { result } = await stopped({ ...long, gates, stopWhen: { noSuccess: false } }, worseFrom(1000));
    expect(result.run.durationMs).toBeGreaterThanOrEqual(90_000);
    expect(result.run.durationMs).toBeLessThan(100_000);
  });

  test.each([
    ['turn.p50', '< 500ms'],
    ['rates.turnsPerSecond', '< 1/s'],
    ['sessions.failedShare', '< 1%'],
    ['retries.amplification', '< 0.5'],
    ['concurrency.sessions.mean', '< 2'],
    ['integrity.failed', '< 0'],
    ['position.1.mean', '< 1ms'],
    ['goodput.share', '> 100%'],
  ])('can be on %s', async (metric, gate) => {
    const { stop } = await stopped({ ...long, gates: { [metric]: { gate, abort: true } } }, worseFrom(60_000));
    expect(stop?.reason).toContain(`the gate ${metric} ${gate} failed`);
  });

  test('does not stop a run that keeps it, nor one in which there is nothing to judge', async () => {
    const gates = {
      'turns.failedShare': { gate: '< 5%', abort: true },
      'backoff.p50': { gate: '< 1ms', abort: true },
    } as const;
    expect((await stopped({ ...long, duration: '3m', gates })).stop).toBeNull();
  });

  test('is one without abort at the end, which stops nothing', async () => {
    const gates = { 'turns.failedShare': { gate: '< 5%' } };
    const scenario = { ...long, duration: '3m', gates, stopWhen: { noSuccess: false } } as const;
    const { stop, result } = await stopped(scenario, worseFrom(60_000));
    expect([stop, result.gates[0]?.verdict]).toEqual([null, 'fail']);
  });
});
