import { describe, expect, test } from 'vitest';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { playShards } from '../support/play-shards.ts';
import { serviceByText } from '../support/service-by-text.ts';
import { machine, resultOf } from '../support/synthetic-result.ts';
import { workersOf } from '../support/synthetic-workers.ts';

type Reason = Result['validity']['reasons'][number];

/** Runs a scenario in shards, in virtual time, against a service that answers after 2 s. */
async function reasonIn(shards: number, scenario: Partial<Scenario>): Promise<Reason | undefined> {
  const resolved = resolveScenario(
    { name: 'x', messages: ['Hi'], turns: 3, retry: 'none', ...scenario },
    { flags: {}, environment: {} },
  );
  const snapshot = await playShards(resolved, shards, (clock) => serviceByText(clock, () => ({ afterMs: 2000 }), []));
  const workers = shards === 1 ? null : workersOf(shards);
  const environment = { ...machine, calibrationMs: null, git: null, workers, startSkewMs: null };
  const { validity } = resultOf({ plan: resolved.plan, snapshot }, { environment });
  return validity.reasons.find(({ code }) => code === 'concurrency_not_reached');
}

describe('live sessions below the requested concurrency', () => {
  test('are a reason if the sessions of a shard with more slots end first, with a remedy that fits', async () => {
    const reason = await reasonIn(4, { sessions: 40, load: { concurrency: 5 } });
    expect(reason).toMatchObject({ severity: 'degraded', remedy: expect.stringContaining('multiple of 4') as string });
    expect(reason?.message).toMatch(
      /^the requested load did not take place as asked: 4\.\d+ sessions were live on average, of 5 requested \(8\d\.?\d? %\)/,
    );
  });

  test.each<[string, number, Partial<Scenario>]>([
    ['the same run in one process', 1, { sessions: 40, load: { concurrency: 5 } }],
    ['slots that are a multiple of the shards', 4, { sessions: 40, load: { concurrency: 8 } }],
    ['a duration instead of sessions', 4, { duration: '60s', load: { concurrency: 5 } }],
    ['think time, which counts as live', 1, { sessions: 40, load: { concurrency: 5 }, thinkTime: '10s' }],
    ['a ramp', 1, { duration: '60s', load: { concurrency: 20, rampUp: '30s' } }],
    ['a ramp and a warm-up', 2, { duration: '60s', warmUp: '5s', load: { concurrency: 20, rampUp: '30s' } }],
    ['fewer sessions than slots', 1, { sessions: 3, load: { concurrency: 5 } }],
    ['a few long sessions at the end', 1, { sessions: 11, turns: { min: 1, max: 40 }, load: { concurrency: 5 } }],
    ['open load', 1, { sessions: 40, load: { sessionsPerSecond: 5 } }],
  ])('are none for %s', async (_, shards, scenario) => {
    expect(await reasonIn(shards, scenario)).toBeUndefined();
  });
});
