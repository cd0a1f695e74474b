import { describe, expect, test } from 'vitest';
import { metricNamed } from '../../src/result/metrics/metrics.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { witness, type ServiceModel } from '../support/virtual-run.ts';

const model: ServiceModel = () => ({ afterMs: 20 });

/** 20 sessions per second are due for 5 s, but only five slots are free, and sessions last for the whole run. */
const crowded: Partial<Scenario> = {
  duration: '5s',
  warmUp: '1s',
  gracePeriod: '1s',
  turns: 1000,
  thinkTime: '30ms',
  load: { sessionsPerSecond: 20, maxConcurrency: 5 },
};

const perform = async (changed: Partial<Scenario> = {}) => (await witness({ ...crowded, ...changed }, model)).result;

describe('sessions that were due and never started', () => {
  test('each belong to the warm-up or not by their own due instants', async () => {
    const { books } = await perform();
    expect(books.sessions).toMatchObject({ planned: 100, started: 5, not_started: 95, not_started_due: 95 });
    expect(books.warmUp.sessions).toMatchObject({ planned: 20, started: 5, not_started: 15, not_started_due: 15 });
    expect([books.balanced, books.broken]).toEqual([true, []]);
  });

  test.each(['0s', '1s', '4s'] as const)(
    'make a run invalid that hardly offered its load, with a warm-up of %s',
    async (warmUp) => {
      const result = await perform({ warmUp });
      expect(result.validity.verdict).toBe('invalid');
      expect(result.validity.reasons.map(({ code }) => code)).toContain('sessions_not_offered');
    },
  );

  test('fail a gate on the share of sessions that were started', async () => {
    const result = await perform({ gates: { 'sessions.startedShare': '>= 95%' } });
    expect(metricNamed('sessions.startedShare')?.read(result)).toEqual({ value: 0 });
    expect(result.gates[0]).toMatchObject({ metric: 'sessions.startedShare', verdict: 'fail', actual: 0 });
  });

  test('are counted separately from sessions that never became due, under every retry policy', async () => {
    const { books } = await perform({ sessions: 130, maxDuration: '5s', retry: { a: {}, b: 'none' } });
    expect(books.sessions).toMatchObject({ planned: 130, started: 5, not_started: 125, not_started_due: 95 });
    expect(books.warmUp.sessions).toMatchObject({ planned: 20, started: 5, not_started: 15, not_started_due: 15 });
    expect(books.balanced).toBe(true);
  });
});
