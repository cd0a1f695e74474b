import { expect, test } from 'vitest';
import { memoryTrace } from '../../test/support/memory-trace.ts';
import { resolveScenario } from '../plan/resolve-scenario.ts';
import { viewPlan } from './plan-view.ts';

const trace = (count: number) => () =>
  memoryTrace(Array.from({ length: count }, (_, nth) => ({ atMs: nth * 1000, turns: [[0, 8, 8] as const] })));

test.each<[object, number | undefined, number]>([
  [{ load: { trace: trace(1) } }, undefined, 1],
  [{ load: { trace: trace(9) } }, undefined, 2],
  [{ load: { trace: trace(9) }, sessions: 1 }, undefined, 1],
  [{ messages: ['a'], sessions: 3 }, 5, 3],
  [{ messages: ['a'], duration: '1s' }, 5, 5],
])('a plan shows no session that its run does not have: %j, %s of them requested', async (scenario, preview, shown) => {
  const resolved = resolveScenario({ name: 'x', ...scenario }, { flags: {}, environment: {} });
  const view = await viewPlan(resolved, { preview });
  expect(view.preview.map(({ number }) => number)).toEqual(Array.from({ length: shown }, (_, nth) => nth + 1));
});
