import { describe, expect, test } from 'vitest';
import { finishedRun, healthy, resultOf, surroundings } from '../../../test/support/synthetic-result.ts';
import { playedBy, workersOf } from '../../../test/support/synthetic-workers.ts';
import type { Worker } from '../sections/environment.ts';
import { judgeValidity, type Validity } from './judge-validity.ts';
import type { Evidence } from './rule.ts';

const result = resultOf(finishedRun());
const { books, outcomes, latency } = result;

interface Played {
  workers: readonly Worker[];
  startSkewMs?: number;
  /** Sessions in progress in lost shards. */
  lost?: number;
  plannedSessions?: number | null;
}

/** Returns the reasons of a one-minute run over some shards, without reasons about its synthetic sessions. */
function reasonsOf({ workers, startSkewMs = 1, lost = 0, plannedSessions = null }: Played): Validity['reasons'] {
  const { environment } = playedBy(result, workers, startSkewMs);
  const sessions = { ...books.sessions, dropped: 0, not_started_due: 0, lost };
  const evidence: Evidence = {
    outcomes,
    latency,
    environment,
    plannedSessions,
    books: { ...books, sessions },
    generator: healthy,
    elapsedMs: 60_000,
  };
  return judgeValidity(evidence).reasons.filter(({ code }) => !code.endsWith('_unanswered'));
}
const codes = (played: Played): string[] => reasonsOf(played).map(({ code, severity }) => `${code} ${severity}`);

const lostAt = (atMs: number) => ({ lost: { atMs, reason: 'no word for 5 s' } });

describe('a run over several shards', () => {
  test('is as valid as a run of one process if none was lost and all began together', () => {
    expect(codes({ workers: workersOf(4), startSkewMs: 100 })).toEqual([]);
  });

  test.each([
    [101, 'degraded'],
    [1000, 'degraded'],
    [1001, 'invalid'],
  ])('is not if the last began %i ms after the first: %s', (startSkewMs, severity) => {
    expect(codes({ workers: workersOf(2), startSkewMs })).toEqual([`start_skewed ${severity}`]);
  });

  test('names the lost shard with its host, time, reason and share of the load', () => {
    const [reason] = reasonsOf({ workers: workersOf(4, [{}, lostAt(54_000)]) });
    expect(reason).toMatchObject({ code: 'shards_lost', severity: 'degraded', blame: 'generator' });
    expect(reason?.message).toBe(
      '1 shard of 4 was lost, with 2.50 % of the load: shard 1 on lab, last seen after 54.0 s (no word for 5 s)',
    );
    expect(reason?.remedy).toMatch(/--cores.*--shards/);
  });

  test.each([
    ['a tenth of the time of all shards', [lostAt(36_000)], 'degraded'],
    ['more than that', [lostAt(35_900)], 'invalid'],
    ['the time of several together', [lostAt(45_000), lostAt(45_000)], 'invalid'],
  ])('of a duration is invalid by the missing time: %s', (_, changes, severity) => {
    expect(codes({ workers: workersOf(4, changes) })).toEqual([`shards_lost ${severity}`]);
  });

  test.each([
    ['6 in progress', { lost: 6, sessionsStarted: 100 }, 'degraded', '1.50 %'],
    ['6 in progress and 34 never started: a tenth', { lost: 6, sessionsStarted: 66 }, 'degraded', '10.0 %'],
    ['one more', { lost: 7, sessionsStarted: 66 }, 'invalid', '10.3 %'],
  ])('of a number of sessions is invalid by the missing sessions: %s', (_, lost, severity, share) => {
    const ended = { sessionsStarted: 100 };
    const workers = workersOf(4, [{ ...lostAt(59_999), sessionsStarted: lost.sessionsStarted }, ended, ended, ended]);
    const [reason] = reasonsOf({ workers, lost: lost.lost, plannedSessions: 400 });
    expect([reason?.severity, reason?.message]).toEqual([severity, expect.stringContaining(share)]);
  });

  test('of a number of sessions is judged by time if the number of its started sessions is unknown', () => {
    const workers = workersOf(4, [lostAt(54_000)]).map((each) => ({ ...each, sessionsStarted: null }));
    const [reason] = reasonsOf({ workers, lost: 7, plannedSessions: 400 });
    expect([reason?.severity, reason?.message]).toEqual(['degraded', expect.stringContaining('2.50 %')]);
  });

  test('does not attribute sessions to a lost shard if the run was ended early before they were started', () => {
    const workers = workersOf(4, [
      { ...lostAt(59_000), sessionsStarted: 48 },
      ...Array.from({ length: 3 }, () => ({ sessionsStarted: 50 })),
    ]);
    const [reason] = reasonsOf({ workers, lost: 8, plannedSessions: 400 });
    expect([reason?.severity, reason?.message]).toEqual(['degraded', expect.stringContaining('5.00 %')]);
  });

  test('is invalid when every shard was lost', () => {
    const workers = workersOf(2, [lostAt(0), lostAt(0)]).map((each) => ({ ...each, sessionsStarted: 0 }));
    expect(codes({ workers, plannedSessions: 10 })).toEqual(['shards_lost invalid']);
  });
});

describe('a generator at its limit', () => {
  const busy = {
    ...healthy,
    cpuShareMax: 0.97,
    eventLoopBusyMax: 0.99,
    eventLoopDelayP99Ms: 600,
    descriptorsExhausted: 2,
  };

  test('the worst shard is judged and named, whatever the mean of all', () => {
    const { generator } = surroundings;
    const workers = workersOf(3, [{ generator }, { generator: null }, { generator: busy, host: 'far' }]);
    const reasons = reasonsOf({ workers });
    expect(reasons.map(({ code }) => code)).toEqual([
      ...['event_loop_late', 'event_loop_busy', 'descriptors_exhausted'],
    ]);
    for (const { message } of reasons) expect(message).toContain('(shard 2 on far)');
  });

  const remedies = (cores: number, workers: readonly Worker[] | null): (string | undefined)[] => {
    const environment = { cores, workers: workers && [...workers], startSkewMs: null };
    const found = judgeValidity({ ...result, generator: busy, elapsedMs: 60_000, environment }).reasons;
    return ['event_loop_late', 'event_loop_busy'].map((code) => found.find((each) => each.code === code)?.remedy);
  };

  test.each([
    ['one process on several cores', 8, null, 'chat-load run ... --cores 2'],
    ['one process on its only core', 1, null, '--fleet, --shards'],
    ['three shards', 8, workersOf(3, [{ generator: busy }]), 'more than 3 shards (--cores on one machine, --fleet'],
  ])('the remedy for %s names the flag', (_, cores, workers, flag) => {
    for (const remedy of remedies(cores, workers)) expect(remedy).toContain(flag);
  });
});
