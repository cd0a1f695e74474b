import { describe, expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { levelLoad, rampOf, workloadHash, type LevelLoad } from './level-load.ts';
import { planSession } from './session-plan.ts';
import { planSchema } from './plan.ts';
import { resolveScenario } from './resolve-scenario.ts';

const scenario: Scenario = {
  name: 'x',
  messages: ['{{digits 9}}'],
  turns: 3,
  duration: '10m',
  thinkTime: '2s',
  load: { sessionsPerSecond: 2, maxConcurrency: 50, maxTurnsInFlight: 7 },
  retry: { maxAttempts: 5 },
  warmUp: '1m',
  gates: { 'turn.p95': '< 2s' },
};
const resolvedOf = (more: object = {}) => resolveScenario({ ...scenario, ...more }, { flags: {}, environment: {} });
const resolved = resolvedOf();

const levelOf = (more: Partial<LevelLoad> = {}): LevelLoad => ({
  by: 'concurrency',
  level: 20,
  seedOffset: 3,
  rampMs: ms(500),
  maxTurns: 100,
  maxSessions: null,
  maxCost: null,
  gracePeriodMs: ms(1000),
  ...more,
});

describe('a steady level of a scenario', () => {
  test('by concurrency starts its sessions over the ramp, and has no end', () => {
    const { plan } = levelLoad(resolved, levelOf());
    expect(planSchema.parse(plan)).toEqual(plan);
    expect(plan.load).toEqual({
      model: 'closed',
      segments: [
        { startMs: 0, endMs: 500, from: 0, to: 20 },
        { startMs: 500, endMs: null, from: 20, to: 20 },
      ],
      maxTurnsInFlight: 7,
    });
    expect(plan).toMatchObject({ sessions: null, durationMs: null, warmUpMs: 0, gates: {}, maxTurns: 100 });
  });

  test('of one session needs no ramp', () => {
    expect(levelLoad(resolved, levelOf({ level: 1 })).plan.load.segments).toHaveLength(1);
    expect(levelLoad(resolved, levelOf({ rampMs: ms(0) })).plan.load.segments).toHaveLength(1);
  });

  test('by rate keeps the arrival process, and drops limits that would hide a queue', () => {
    const poisson = resolvedOf({ load: { sessionsPerSecond: 2, arrivals: 'poisson', maxConcurrency: 50 } });
    const { load } = levelLoad(poisson, levelOf({ by: 'rate', level: 9 })).plan;
    expect(load).toMatchObject({ model: 'open', segments: [{ from: 9, to: 9 }], maxConcurrency: null });
    expect(load).toMatchObject({ arrivals: poisson.plan.load.model === 'open' ? poisson.plan.load.arrivals : '' });
  });

  test('keeps the behaviour of sessions; their messages differ from step to step', () => {
    const [one, two] = [1, 2].map((seedOffset) => levelLoad(resolved, levelOf({ seedOffset })));
    expect(one?.plan).toMatchObject({ turns: resolved.plan.turns, retry: resolved.plan.retry });
    expect(one?.plan.thinkTime).toEqual(resolved.plan.thinkTime);
    const said = [resolved, one, two].map((each) => each && planSession(each.script, 1).message(1));
    expect(new Set(said).size).toBe(3);
  });
});

test('sessions start over the length of a turn and its think time, at most ten seconds', () => {
  expect(rampOf(resolved.plan, ms(500))).toBe(2500);
  expect(rampOf(resolvedOf({ thinkTime: '60s' }).plan, ms(500))).toBe(10_000);
});

describe('the hash of a workload', () => {
  const hash = workloadHash(resolved.plan);

  test('is the same whatever the load', () => {
    const { load } = resolved.plan;
    expect(workloadHash({ ...resolved.plan, sessions: 9, durationMs: ms(5), gates: {}, load })).toBe(hash);
    const segments = [{ startMs: ms(0), endMs: null, from: 99, to: 99 }];
    expect(workloadHash({ ...resolved.plan, load: { ...load, segments } })).toBe(hash);
  });

  test.each([{ turns: 4 }, { thinkTime: '3s' }, { messages: ['Other.'] }, { retry: 'none' }, { timeout: '9s' }])(
    'differs with %o',
    (more) => expect(workloadHash(resolvedOf(more).plan)).not.toBe(hash),
  );
});
