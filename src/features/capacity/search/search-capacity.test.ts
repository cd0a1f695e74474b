import { expect, test } from 'vitest';
import { capacityModels, objectiveOf, openModel } from '../test/capacity-models.ts';
import { ModelledPlayer } from '../test/modelled-player.ts';
import { usualBounds } from '../test/modelled-search.ts';
import { searchCapacity } from './search-capacity.ts';
import type { Search, SearchSettings } from './search.ts';

/** A service of 16 slots with lognormal times. */
const model = capacityModels[3];

function searchModel(settings: Partial<SearchSettings>, starvedFrom = Infinity): Promise<Search> {
  if (model === undefined) throw new Error('unknown model');
  const { workload, service } = openModel(model, 7);
  const player = new ModelledPlayer(workload, service, 7);
  const play = player.play.bind(player);
  player.play = async (order, watch) => ({
    ...(await play(order, watch)),
    generatorLimit: order.load >= starvedFrom ? { message: 'one core is busy', remedy: 'use --cores 2' } : null,
  });
  const bounds = { ...usualBounds, maxDurationMs: null, maxStepMs: 600_000, restMs: 5000 };
  const asked = {
    by: model.by,
    objectives: [objectiveOf(model)],
    min: 1,
    max: 2000,
    tolerance: 0.15,
    sessionTurns: 5,
    ...bounds,
  };
  return searchCapacity({ ...asked, ...settings }, player);
}

test('fails at the lowest load, shown twice', async () => {
  const { outcome, broken, holds } = await searchModel({ min: 200 });
  expect([outcome, broken?.load, holds]).toEqual(['fails_at_min', 200, null]);
  expect(broken?.steps).toHaveLength(2);
});

test('holds at the highest load, shown twice', async () => {
  const { outcome, holds, broken } = await searchModel({ max: 60 });
  expect([outcome, holds?.load, holds?.steps.length, broken]).toEqual(['holds_at_max', 60, 2, null]);
});

test('ends with its turn budget, and reports the findings so far', async () => {
  const { outcome, spent, holds } = await searchModel({ maxTurns: 1000 });
  expect(outcome).toBe('bounded');
  expect(spent.turns).toBeLessThan(1300);
  expect(holds?.load).toBeGreaterThan(1);
});

test('does not blame the service for a load that the generator cannot send', async () => {
  const { outcome, reason, steps, broken } = await searchModel({}, 60);
  expect([outcome, broken]).toEqual(['generator_limited', null]);
  expect(reason).toContain('use --cores 2');
  expect(Math.max(...steps.map(({ load }) => load))).toBeLessThanOrEqual(64);
});
