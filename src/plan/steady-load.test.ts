import { expect, test } from 'vitest';
import type { Scenario } from '../scenario/scenario.ts';
import { planSession } from './session-plan.ts';
import { planSchema } from './plan.ts';
import { resolveScenario } from './resolve-scenario.ts';
import { steadyLoad } from './level-load.ts';

const scenario: Scenario = {
  name: 'x',
  messages: ['{{digits 4}}', 'b'],
  turns: 3,
  duration: '10m',
  thinkTime: '2s',
  load: { sessionsPerSecond: 2 },
  retry: { one: {}, two: { maxAttempts: 9 } },
  warmUp: '1m',
};
const resolved = resolveScenario(scenario, { flags: {}, environment: {} });

test('steady load is closed and has neither pauses, retries nor an end', () => {
  const { plan, script } = steadyLoad(resolved, { concurrency: 7, sessions: null });
  expect(planSchema.parse(plan)).toEqual(plan);
  expect(plan.load).toMatchObject({ model: 'closed', segments: [{ from: 7, to: 7, endMs: null }] });
  expect(plan).toMatchObject({ sessions: null, durationMs: null, warmUpMs: 0, onFailedTurn: 'continue' });
  expect(plan.retry.map(({ maxAttempts }) => maxAttempts)).toEqual([1]);
  expect(planSession(script, 1).thinkTime(1)).toBe(0);
  expect(planSession(script, 2).policy).toBe(0);
});

test('steady load sends the messages of the scenario, for the configured number of turns', () => {
  const own = planSession(resolved.script, 5);
  const same = planSession(steadyLoad(resolved, { concurrency: 1, sessions: 1 }).script, 5);
  expect([same.turns, same.message(1), same.message(2)]).toEqual([3, own.message(1), 'b']);
  const long = steadyLoad(resolved, { concurrency: 1, sessions: 1, turns: 500 });
  expect([planSession(long.script, 5).turns, long.plan.turns]).toEqual([500, { kind: 'constant', turns: 500 }]);
});
