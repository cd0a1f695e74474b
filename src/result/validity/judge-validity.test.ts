import { describe, expect, test } from 'vitest';
import { originOf } from '../../../test/support/session-records.ts';
import { driftOf, type DriftingRun } from '../../../test/support/drifting-run.ts';
import { finishedRun, healthy, resultOf, snapshotOf } from '../../../test/support/synthetic-result.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { witness } from '../../../test/support/virtual-run.ts';
import { instant } from '../../base/time.ts';
import type { GeneratorHealth } from '../sections/generator-health.ts';
import { judgeValidity, type Validity } from './judge-validity.ts';
import type { DoubtfulFigure } from '../percentiles/doubt.ts';
import type { Evidence } from './rule.ts';
import type { Outcomes } from '../sections/outcomes.ts';
import type { Result } from '../result.ts';

const evidenceOf = ({ books, outcomes, latency, generator }: Result): Evidence => ({
  books,
  outcomes,
  latency,
  generator,
  elapsedMs: 60_000,
});

/** Counts among a thousand of either. */
function unanswered(counts: Record<'turns' | 'creations', number>): Outcomes['unanswered'] {
  const publish = (count: number) => ({ count, share: count / 1000, maxWaitMs: count > 0 ? 2500 : null });
  return { turns: publish(counts.turns), creations: publish(counts.creations) };
}

/** A run without dropped sessions or unanswered turns: the synthetic ones are removed. */
const fine = ((): Evidence => {
  const evidence = evidenceOf(resultOf(finishedRun()));
  evidence.books.sessions.dropped = 0;
  evidence.books.sessions.not_started_due = 0;
  evidence.outcomes.unanswered = unanswered({ turns: 0, creations: 0 });
  return evidence;
})();

const codes = ({ reasons }: Validity): string[] => reasons.map(({ code, severity }) => `${code} ${severity}`);
const judgeHealth = (health: Partial<GeneratorHealth>): string[] =>
  codes(judgeValidity({ ...fine, generator: { ...healthy, ...health } }));

/** Latency of turns and sessions that were late by these times. */
function latencyOf(turns: readonly number[], sessions: readonly number[]): Result['latency'] {
  const plan = planFor({ load: { sessionsPerSecond: 1 } });
  const snapshot = snapshotOf(plan, 2000, (observer) => {
    for (const value of turns) observer.turnSent(originOf(), instant(0), instant(value));
    for (const value of sessions) observer.sessionStarted(originOf({ startedAt: instant(value) }));
  });
  return resultOf({ plan, snapshot }).latency;
}
const judgeLateness = (turns: readonly number[], sessions: readonly number[]): string[] =>
  codes(judgeValidity({ ...fine, latency: latencyOf(turns, sessions) }));

describe('validity', () => {
  test('is valid for a run without any of the reasons', () => {
    expect(judgeValidity(fine)).toEqual({ verdict: 'valid', reasons: [] });
  });

  test('is invalid if no turn finished', () => {
    const plan = planFor();
    const nothing = resultOf({ plan, snapshot: snapshotOf(plan, 0, () => undefined) });
    expect(nothing.validity.verdict).toBe('invalid');
    expect(codes(nothing.validity)).toEqual(['no_turn_finished invalid']);
  });

  test('blames the service for its failures, and the generator for everything else', () => {
    const plan = planFor();
    const nothing = resultOf({ plan, snapshot: snapshotOf(plan, 0, () => undefined) }, { generator: null });
    expect(nothing.validity.reasons.map(({ code, blame }) => [code, blame])).toEqual([
      ['no_turn_finished', 'service'],
      ['generator_unmeasured', 'generator'],
    ]);
  });

  test.each(['circuit', 'target_unfit'] as const)(
    'of a short run that was stopped before a turn finished (%s) has only that reason, and its remedy',
    (kind) => {
      const plan = planFor();
      const nothing = resultOf({ plan, snapshot: snapshotOf(plan, 19, () => undefined) });
      const stop = { kind, reason: 'POST /sessions -> 401', remedy: 'Check the key.', atMs: 12 };
      const generator = { ...healthy, eventLoopBusyMax: 0.99, eventLoopDelayP99Ms: 600 };
      expect(judgeValidity({ ...evidenceOf(nothing), elapsedMs: 19, generator, stop }).reasons).toEqual([
        {
          code: 'no_turn_finished',
          severity: 'invalid',
          message: 'no turn finished: POST /sessions -> 401',
          remedy: 'Check the key.',
          blame: 'service',
        },
      ]);
      expect(judgeValidity({ ...fine, elapsedMs: 19, generator, stop })).toEqual({ verdict: 'valid', reasons: [] });
    },
  );

  test.each([
    [15, 'no turn finished: users left 15 turns before the reply was complete', /abandon\.after .* abandon\.share/],
    [0, 'no turn finished', /^Run longer/],
  ])('has a remedy that fits the cause if users left %d turns and no other finished', (abandoned, message, remedy) => {
    const plan = planFor();
    const nothing = evidenceOf(resultOf({ plan, snapshot: snapshotOf(plan, 100, () => undefined) }));
    const outcomes = { ...nothing.outcomes, turns: { ...nothing.outcomes.turns, abandoned } };
    const [reason] = judgeValidity({ ...nothing, outcomes }).reasons;
    expect([reason?.code, reason?.message]).toEqual(['no_turn_finished', message]);
    expect(reason?.remedy).toMatch(remedy);
  });

  test('has a remedy that fits the failure if no turn finished', async () => {
    const refused = { status: 404, body: '{"error":"Agent not found"}' };
    const { result } = await witness({ sessions: 5, retry: 'none', stopWhen: { unusable: false } }, () => ({
      afterMs: 5,
      ...refused,
    }));
    expect(result.validity.reasons).toMatchObject([
      {
        message: 'no turn finished: 5 of 5 sessions were not created (404 agent_not_found)',
        remedy: expect.stringContaining('--agent-id') as string,
      },
    ]);
  });

  test.each([
    [{ eventLoopDelayP99Ms: 500 }, []],
    [{ eventLoopDelayP99Ms: 501 }, ['event_loop_late invalid']],
    [{ cpuShareMax: 1.2, eventLoopBusyMax: 0.979 }, []],
    [{ eventLoopBusyMax: 0.98 }, ['event_loop_busy degraded']],
    [{ gcPauseMaxMs: 400, gcPauseShare: 0.2 }, []],
    [{ descriptorsExhausted: 1 }, ['descriptors_exhausted invalid']],
    [{ portsExhausted: 1 }, ['ports_exhausted invalid']],
    [{ clockJumpMs: 1000 }, []],
    [{ clockJumpMs: 1001 }, ['clock_jumped degraded']],
  ])("given the generator's %j: %j", (health, expected) => {
    expect(judgeHealth(health)).toEqual(expected);
  });

  const doubtful = (...metrics: string[]): DoubtfulFigure[] =>
    metrics.map((metric) => ({ metric, valueMs: 412, errorMs: 38 }));

  test('is degraded by doubtful figures, which it names with their error', () => {
    const { verdict, reasons } = judgeValidity({ ...fine, doubtful: doubtful('turn.p95', 'gap.p95') });
    expect(verdict).toBe('degraded');
    expect(reasons).toMatchObject([
      {
        code: 'figures_doubtful',
        blame: 'generator',
        message:
          'the generator read replies late: turn.p95 (412 ms) may be up to 38.0 ms too high, gap.p95 (412 ms) may be up to 38.0 ms too high',
      },
    ]);
  });

  test.each<[Partial<GeneratorHealth>, 'degraded' | 'invalid', string]>([
    [{ eventLoopBusyMax: 0.99 }, 'degraded', 'busy 99.0 % of the time'],
    [{ eventLoopDelayP99Ms: 501, eventLoopBusyMax: 0.99 }, 'invalid', '501 ms (p99); in its busiest'],
  ])(
    'reports for a generator with %j that a run of under 5 s is too short to judge it: %s',
    (health, severity, seen) => {
      const judge = (elapsedMs: number) =>
        judgeValidity({ ...fine, elapsedMs, generator: { ...healthy, ...health } }).reasons;
      const [reason, ...others] = judge(312);
      expect(others).toEqual([]);
      expect(reason).toMatchObject({ code: 'too_short', severity, message: expect.stringContaining(seen) as string });
      expect(reason?.message).toContain('a run of 312 ms is too short to judge the generator');
      expect(reason?.remedy).toMatch(/at least 5 s/);
      expect(reason?.remedy).not.toMatch(/cores|memory/);
      expect(judge(4999)).toHaveLength(1);
      expect(judge(5000).map(({ code }) => code)).not.toContain('too_short');
    },
  );

  test('of a run too short to measure its error depends on the event-loop delay next to p95', () => {
    const { turn } = latencyOf([], []);
    const judge = (eventLoopDelayP99Ms: number, elapsedMs = 240) =>
      judgeValidity({
        ...fine,
        latency: { ...fine.latency, turn: { ...turn, p95Ms: 4.1, errorMs: null } },
        generator: { ...healthy, eventLoopDelayP99Ms },
        elapsedMs,
      }).reasons;
    expect(judge(0.9)).toEqual([]);
    expect(judge(34.8, 5000)).toEqual([]);
    const [reason] = judge(34.8);
    expect(reason).toMatchObject({ code: 'too_short', severity: 'degraded' });
    expect(reason?.message).toContain('error of turn.p95 (4.10 ms), and the event-loop delay was up to 34.8 ms (p99)');
  });

  test('of a short run is like a long one if the generator kept up, or did not start', () => {
    expect(judgeValidity({ ...fine, elapsedMs: 32 })).toEqual({ verdict: 'valid', reasons: [] });
    const { books } = fine;
    const unoffered = { ...books, sessions: { ...books.sessions, started: 50, not_started_due: 50 } };
    expect(codes(judgeValidity({ ...fine, books: unoffered, elapsedMs: 32 }))).toEqual([
      'sessions_not_offered invalid',
    ]);
  });

  test('is degraded when the generator was not measured', () => {
    expect(judgeValidity({ ...fine, generator: null }).verdict).toBe('degraded');
  });

  test('is degraded if the generator drifts while the service seems to get slower, not by either alone', () => {
    const leak = (hours: number) => ({
      rssBytes: 100e6 + 20e6 * hours,
      heapBytes: 40e6,
      eventLoopDelayP99Ms: 2,
      cpuShare: 0.2,
    });
    const slowness = (hours: number): number => 1.03 ** hours;
    const codesOf = (run: Partial<DriftingRun>): string[] =>
      codes(judgeValidity({ ...fine, drift: driftOf({ seed: 9, memory: 0.5, ...run }) }));
    expect(codesOf({ generator: leak, slowness })).toEqual(['generator_drifted degraded']);
    expect(codesOf({ generator: leak })).toEqual([]);
    expect(codesOf({ slowness })).toEqual([]);
  });

  const many = (count: number, value: number) => Array.from({ length: count }, () => value);
  test.each([
    ['p50 at 10 ms', many(9, 10), []],
    ['p50 above 10 ms', many(9, 10.1), ['late degraded']],
    ['p50 above 100 ms', many(9, 101), ['late invalid']],
    ['p99 at 500 ms', [...many(98, 1), 500, 500], []],
    ['p99 above 500 ms', [...many(98, 1), 502, 502], ['late degraded']],
    ['p99 above 5 s', [...many(98, 1), 5010, 5010], ['late invalid']],
    ['one in a thousand late', [...many(999, 1), 60_000], []],
  ])('given a lateness of %s, of turns or of sessions', (_, values, expected) => {
    expect(judgeLateness(values, [0])).toEqual(expected.map((code) => `turns_${code}`));
    expect(judgeLateness([0], values)).toEqual(expected.map((code) => `sessions_${code}`));
  });

  test.each([
    [10, []],
    [11, ['degraded']],
    [50, ['degraded']],
    [51, ['invalid']],
  ])('given %i of 1,000 turns, or creations, without an answer: %j, which blames the service', (count, severities) => {
    const judge = (counts: Record<'turns' | 'creations', number>): Validity =>
      judgeValidity({ ...fine, outcomes: { ...fine.outcomes, unanswered: unanswered(counts) } });
    expect(codes(judge({ turns: count, creations: 0 }))).toEqual(severities.map((each) => `turns_unanswered ${each}`));
    const { reasons } = judge({ turns: 0, creations: count });
    expect(reasons.map(({ code, severity, blame }) => [code, severity, blame])).toEqual(
      severities.map((each) => ['creations_unanswered', each, 'service']),
    );
    expect(reasons.every(({ message }) => message.includes(`${String(count)} of 1,000 creations`))).toBe(true);
  });

  test('names the cap as the remedy if it prevented the retries', () => {
    const outcomes = { ...fine.outcomes, unanswered: unanswered({ turns: 60, creations: 0 }) };
    const judge = (kind: 'cap' | 'max_duration') =>
      judgeValidity({ ...fine, outcomes, stop: { kind, reason: 'enough', remedy: null, atMs: 20_000 } }).reasons[0];
    expect(judge('cap')?.remedy).toMatch(/^Raise the cap, or lower the concurrency/);
    expect(judge('max_duration')?.remedy).toMatch(/^Check the service/);
  });

  const withSessions = (changed: Partial<Result['books']['sessions']>): Validity =>
    judgeValidity({ ...fine, books: { ...fine.books, sessions: { ...fine.books.sessions, ...changed } } });
  const sessions = (...changed: Parameters<typeof withSessions>): string[] => codes(withSessions(...changed));
  test('is invalid if fewer than 95 % of the sessions that became due were started', () => {
    expect(sessions({ started: 95, not_started_due: 5 })).toEqual([]);
    expect(sessions({ started: 94, not_started_due: 6 })).toEqual(['sessions_not_offered invalid']);
  });

  test('is degraded if sessions were dropped, and invalid if many were', () => {
    expect(sessions({ started: 99, dropped: 1 })).toEqual(['sessions_dropped degraded']);
    expect(sessions({ started: 90, dropped: 10 })).toEqual([
      'sessions_not_offered invalid',
      'sessions_dropped degraded',
    ]);
  });

  test('names dropped sessions as the cause if they made it invalid, and how many may be dropped', () => {
    const judge = (changed: Partial<Result['books']['sessions']>) => withSessions(changed).reasons[0];
    expect(judge({ started: 90, dropped: 10 })).toMatchObject({
      message: 'only 90 of 100 sessions that became due were started, 10 dropped',
      remedy: expect.stringMatching(
        /^whenFull: 'drop' keeps a run valid only while 95 % .* \(whenFull: 'wait'\)\.$/,
      ) as string,
    });
    expect(judge({ started: 90, not_started_due: 10 })?.remedy).not.toContain('drop');
  });

  test('ignores the outcomes of sessions of the warm-up', () => {
    const { books } = fine;
    const warmUp = { ...books.warmUp, sessions: { ...books.warmUp.sessions, dropped: 50 } };
    const all = { ...books, warmUp, sessions: { ...books.sessions, dropped: 50 } };
    expect(judgeValidity({ ...fine, books: all }).verdict).toBe('valid');
  });

  test('names a remedy for every reason, and the worst reason is the verdict', () => {
    const bad = { ...healthy, portsExhausted: 2, cpuShareMax: 1, eventLoopBusyMax: 1 };
    const { verdict, reasons } = judgeValidity({ ...fine, generator: bad });
    expect(verdict).toBe('invalid');
    expect(reasons).toHaveLength(2);
    expect(reasons.every(({ message, remedy }) => message !== '' && remedy !== '')).toBe(true);
    expect(reasons[0]?.message).toBe(
      "in its busiest two seconds the generator's event loop was busy 100 % of the time, with 100 % of a core",
    );
  });
});

describe('the remedy for a late generator', () => {
  const late = { eventLoopDelayP99Ms: 501, eventLoopBusyMax: 0.99 };
  const lateRules = ['turns_late', 'sessions_late', 'figures_doubtful', 'event_loop_late', 'event_loop_busy'];
  const latency = latencyOf([900], [900]);
  const doubtful = [{ metric: 'turn.p95', valueMs: 412, errorMs: 38 }];
  const remedies = (health: Partial<GeneratorHealth> | null): string[] => {
    const generator = health && { ...healthy, ...late, ...health };
    return judgeValidity({ ...fine, latency, generator, doubtful })
      .reasons.filter(({ code }) => lateRules.includes(code))
      .map(({ remedy }) => remedy);
  };

  test('names more cores if it had used its cores', () => {
    expect(remedies({ cpuShareMax: 0.97 })).toHaveLength(5);
    for (const remedy of remedies({ cpuShareMax: 0.97 })) expect(remedy).toContain('--cores 2');
  });

  test('names no more cores if it had been nearly idle', () => {
    const found = remedies({ cpuShareMax: 0.06, cpuShare: 0.02 });
    expect(found).toHaveLength(5);
    for (const remedy of found) expect(remedy).toMatch(/^(?!.*(--cores|--fleet)).*at most 6\.00 % of a core/s);
  });

  test('names more cores if its load was not measured', () => {
    for (const remedy of remedies(null)) expect(remedy).toContain('--cores 2');
  });
});
