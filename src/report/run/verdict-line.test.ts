import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { witness, type ServiceModel } from '../../../test/support/virtual-run.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import type { Result } from '../../result/result.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { ms } from '../../base/time.ts';
import { newCounters } from '../../record/counters.ts';
import { cacheWarnings, sharedIdWarning } from '../../result/sections/warning.ts';
import { stopSchema, type Stop } from '../../result/sections/run-facts.ts';
import { verdictLine } from './verdict-line.ts';

const result = resultOf(finishedRun({ gates: { 'turn.p50': '< 1h', 'turns.ok': '> 1' } }));
const fine: Result = {
  ...result,
  validity: { verdict: 'valid', reasons: [] },
  integrity: { ...result.integrity, verdict: 'pass' },
};
const gateOf = (result: Result, metric: string) => result.gates.filter((gate) => gate.metric === metric);

const statuses = fc.constantFrom('completed', 'stopped', 'interrupted', 'recovered');
const kinds = fc.constantFrom(...stopSchema.shape.kind.options);
const judged: fc.Arbitrary<Result> = fc
  .record({
    status: statuses,
    stop: fc.option(
      fc.record({
        kind: kinds,
        reason: fc.string({ unit: 'binary' }),
        remedy: fc.constant(null),
        atMs: fc.nat(),
      }),
    ),
    balanced: fc.constantFrom(true, false, null),
    validity: fc.constantFrom('valid', 'degraded', 'invalid'),
    reasons: fc.array(fc.constantFrom('degraded', 'invalid'), { maxLength: 2 }),
    integrity: fc.constantFrom('off', 'no-data', 'pass', 'fail', 'unsupported'),
    gates: fc.array(fc.constantFrom('pass', 'fail', 'no-data'), { maxLength: 5 }),
  })
  .map(({ status, stop, balanced, validity, reasons, integrity, gates }) => ({
    ...fine,
    run: { ...fine.run, status, stop },
    books: { ...fine.books, balanced },
    validity: {
      verdict: validity,
      reasons: reasons.map((severity) => ({
        code: 'late',
        severity,
        message: 'turns were\nlate',
        remedy: 'none',
        blame: 'generator' as const,
      })),
    },
    integrity: { ...fine.integrity, verdict: integrity },
    gates: gates.flatMap((verdict) => fine.gates.slice(0, 1).map((gate) => ({ ...gate, verdict }))),
  }));

describe('the last line', () => {
  test('agrees with the exit code for every outcome, and is one line', () => {
    fc.assert(
      fc.property(judged, fc.constantFrom(undefined, 'SIGINT', 'SIGTERM'), (run, signal) => {
        const line = verdictLine(run, signal);
        const code = exitCodeOf(run, signal);
        expect(line).toMatch(code === 0 ? /^PASSED(, |$)/ : code === 4 ? /^INVALID: \S/ : /^FAILED: \S/);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 500 },
    );
  });

  test('names the failed gates, with their values', () => {
    const failing = finishedRun({ gates: { 'turn.p50': '< 1ms', 'turn.p99.99': '< 1h', 'turns.ok': '>= 1' } });
    const run = { ...resultOf(failing), validity: fine.validity, integrity: fine.integrity };
    expect(verdictLine(run)).toMatch(
      /^FAILED: turn\.p50 < 1ms was \S+ ms; turn\.p99\.99 < 1h: p99\.99 needs 66,381 samples, has \d+: run about .* longer, e.g. --sessions \d+$/,
    );
  });

  test('names failed gates before gates without data', () => {
    const failing = finishedRun({ gates: { 'turn.p99.99': '< 1h', 'turn.p50': '< 1ms' } });
    const run = { ...resultOf(failing), validity: fine.validity, integrity: fine.integrity };
    expect(verdictLine(run)).toMatch(/^FAILED: turn\.p50 < 1ms was \S+ ms; turn\.p99\.99 < 1h: p99\.99 needs/);
  });

  const endedBy = (kind: Stop['kind'], reason: string): Result => ({
    ...fine,
    run: {
      ...fine.run,
      status: kind === 'signal' ? 'interrupted' : 'stopped',
      stop: { kind, reason, remedy: null, atMs: 0 },
    },
  });

  test('names the signal that stopped a run, even if only the result contains it', () => {
    expect(verdictLine(endedBy('signal', 'stopped by SIGTERM'))).toBe('FAILED: stopped by SIGTERM');
    expect(verdictLine(endedBy('signal', 'stopped by SIGHUP'), 'SIGHUP')).toBe('FAILED: stopped by SIGHUP');
  });

  test('explains the stop of a run, even if a signal followed; limits of the scenario are normal ends', () => {
    for (const kind of ['gate', 'target_gone', 'circuit', 'journal', 'bug'] as const)
      expect(verdictLine(endedBy(kind, 'it had to'), 'SIGTERM')).toBe('FAILED: stopped: it had to');
    for (const kind of ['cap', 'max_duration'] as const)
      expect(verdictLine(endedBy(kind, 'enough'), 'SIGTERM')).toBe('FAILED: stopped by SIGTERM');
  });

  test('states why a run was stopped, and the first reason of an invalid run', () => {
    const stop = { kind: 'circuit', reason: 'POST /messages said 401', remedy: null, atMs: 0 } as const;
    expect(verdictLine({ ...fine, run: { ...fine.run, status: 'stopped', stop } })).toBe(
      'FAILED: stopped: POST /messages said 401',
    );
    expect(verdictLine({ ...fine, run: { ...fine.run, status: 'interrupted' } }, 'SIGTERM')).toBe(
      'FAILED: stopped by SIGTERM',
    );
    const reasons = [
      { code: 'a', severity: 'degraded', message: 'a little late', remedy: '', blame: 'generator' },
      { code: 'b', severity: 'invalid', message: 'far too late', remedy: '', blame: 'generator' },
    ] as const;
    expect(verdictLine({ ...fine, validity: { verdict: 'invalid', reasons: [...reasons] } })).toBe(
      'INVALID: far too late',
    );
    expect(verdictLine({ ...fine, validity: { verdict: 'degraded', reasons: [reasons[0]] } })).toBe(
      'PASSED, but degraded: a little late',
    );
    expect(verdictLine(fine)).toBe('PASSED');
  });
});

describe('a run in which no turn ended ok', () => {
  const scenario = { sessions: 20, turns: 1, retry: 'none', stopWhen: { noSuccess: false } } as const;
  const run = (more: object = {}) =>
    witness({ ...scenario, ...more }, (operation) => ({ afterMs: 5, status: operation === 'create' ? 201 : 503 }));

  test('fails an implicit gate', async () => {
    const { result } = await run();
    expect(gateOf(result, 'turns.ok')).toMatchObject([{ condition: '>= 1', actual: 0, verdict: 'fail' }]);
    expect([exitCodeOf(result), verdictLine(result)]).toEqual([
      1,
      'FAILED: turns.ok >= 1 was 0; 20 of 20 turns failed (503 provider_error)',
    ]);
  });

  test('passes if the scenario expects failures, and shows it with a gate of its own', async () => {
    const { result } = await run({ gates: { 'turns.ok': '< 1' } });
    expect(result.gates).toHaveLength(1);
    expect([exitCodeOf(result), verdictLine(result)]).toEqual([0, 'PASSED']);
  });

  test('keeps the hash of the scenario, so that earlier results can be compared', async () => {
    const hashes = await Promise.all([run(), run({ gates: { 'turns.ok': '< 1' } })]);
    expect(new Set(hashes.map(({ result }) => result.scenario.hash)).size).toBe(1);
    expect(hashes[0].result.scenario.plan.gates).toEqual({ 'turns.ok': '>= 1' });
  });
});

describe('failures that no gate covers', () => {
  const unknownAgent = { status: 404, body: '{"error":"Agent not found"}' };
  /** Creates one session, and refuses the others. */
  const refusing = (): ServiceModel => {
    let created = 0;
    return (operation) => ({ afterMs: 5, ...(operation === 'create' && created++ > 0 ? unknownAgent : {}) });
  };
  const lineOf = async (scenario: Partial<Scenario>, distribution: ServiceModel): Promise<[number, string]> => {
    const { result } = await witness({ turns: 1, retry: 'none', ...scenario }, distribution);
    return [exitCodeOf(result), verdictLine(result)];
  };
  const notCreated = 'PASSED, but no gate covers failures: 29 of 30 sessions were not created (404 agent_not_found)';

  test('are named in the last line of a run that passed: sessions that were not created', async () => {
    expect(await lineOf({ sessions: 30 }, refusing())).toEqual([0, notCreated]);
    expect(await lineOf({ sessions: 30, gates: { 'turns.failedShare': '< 1%' } }, refusing())).toEqual([0, notCreated]);
    expect(await lineOf({ sessions: 30, gates: { 'sessions.failedShare': '< 99%' } }, refusing())).toEqual([
      0,
      'PASSED',
    ]);
  });

  const checks: Scenario['checks'] = { apt: (_, { turn }) => turn.number !== 2 };
  const everyFourth = { sessions: 10, turns: 4, onFailedTurn: 'continue', checks } as const;
  const good: ServiceModel = () => ({ afterMs: 5 });

  test('turns that broke a check of the scenario too', async () => {
    const line = 'PASSED, but no gate covers failures: 10 of 40 turns failed (check_failed)';
    expect(await lineOf(everyFourth, good)).toEqual([0, line]);
    expect(await lineOf({ ...everyFourth, gates: { 'outcomes.timed_out.count': '< 1' } }, good)).toEqual([0, line]);
    for (const gates of [
      { 'turns.failedShare': '< 26%' },
      { 'outcomes.check_failed.count': '< 11' },
      { 'turns.ok': '>= 30' },
      { 'sessions.failedShare': '<= 100%' },
      { 'turn.adjusted.p50': '< 1s' },
    ])
      expect(await lineOf({ ...everyFourth, gates }, good)).toEqual([0, 'PASSED']);
  });

  test('sessions cut by the end of the run, unless a limit of the scenario ended it', async () => {
    const cut = { duration: '6s', gracePeriod: '0s', turns: 50, load: { concurrency: 2 } } as const;
    const steady: ServiceModel = () => ({ afterMs: 300 });
    const line = 'PASSED, but no gate covers failures: 2 of 2 sessions were cut at the end of the run';
    expect(await lineOf(cut, steady)).toEqual([0, line]);
    expect(await lineOf({ ...cut, gates: { 'turns.aborted': '< 5' } }, steady)).toEqual([0, 'PASSED']);
    expect(await lineOf({ ...cut, maxTurns: 20 }, steady)).toEqual([0, 'PASSED']);
  });

  test('precede the reasons for a degraded run', async () => {
    const { result } = await witness({ sessions: 30, turns: 1, retry: 'none' }, refusing());
    const reasons = [
      { code: 'a', severity: 'degraded', message: 'a little late', remedy: '', blame: 'generator' },
    ] as const;
    expect(verdictLine({ ...result, validity: { verdict: 'degraded', reasons: [...reasons] } })).toBe(
      `${notCreated}; degraded: a little late`,
    );
  });

  test('and the most frequent one is named if no turn ended, or none was ok', async () => {
    const allRefused: ServiceModel = () => ({ afterMs: 5, ...unknownAgent });
    expect(await lineOf({ duration: '6s', maxSessions: 50, stopWhen: { unusable: false } }, allRefused)).toEqual([
      4,
      'INVALID: no turn finished: 50 of 50 sessions were not created (404 agent_not_found)',
    ]);
    const failing: ServiceModel = (operation) => ({ afterMs: 5, status: operation === 'create' ? 201 : 503 });
    expect(await lineOf({ sessions: 20 }, failing)).toEqual([
      1,
      'FAILED: turns.ok >= 1 was 0; 20 of 20 turns failed (503 provider_error)',
    ]);
  });
});

test('of an incomplete recovered run explains the missing parts', () => {
  const died = {
    code: 'journal_incomplete',
    message: 'The run died: what happened from 2 s on is missing.',
    remedy: null,
  };
  expect(verdictLine({ ...fine, warnings: [died] })).toBe(
    'PASSED, but the run died: what happened from 2 s on is missing',
  );
});

test('of a run that a cache answered in part states so', () => {
  const whole = newCounters();
  whole.attempts.ok = 40;
  whole.cacheMarks = { 'x-cache: HIT': 12 };
  Object.assign(whole.signs, { comparedTexts: 10, fasterRepeats: 8, newTextUs: 2_000_000, repeatedTextUs: 200_000 });
  expect(verdictLine({ ...fine, warnings: cacheWarnings(whole) })).toBe(
    'PASSED, but a cache answered a part of the load: 12 of 40 ok replies are marked as taken from a cache (x-cache: HIT); first replies to repeated texts took 20.0 ms on average, those to new texts at the same time 200 ms; the figures depend on the share of repeated texts',
  );
});

test('of a run whose sessions shared one id states so', () => {
  expect(verdictLine({ ...fine, warnings: [sharedIdWarning(ms(300))] })).toBe(
    'PASSED, but the service assigned one session id to two live sessions, first 0.3 s after the start: their turns form one conversation',
  );
});
