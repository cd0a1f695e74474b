import { expect, test } from 'vitest';
import type { Search } from '../../src/capacity/search/search.ts';
import { searchCapacity } from '../../src/capacity/search/search-capacity.ts';
import { bisect } from '../support/bisection.ts';
import { capacityModels, objectiveOf, openModel, type CapacityModel } from '../support/capacity-models.ts';
import { ModelledPlayer } from '../support/modelled-player.ts';
import { isWhole, leastOf } from '../support/trials.ts';

/** Searches whose truth is known: 100 of each model in `npm run test:long`; else some of those that take few turns. */
const firstSeed = 30_000;
const width = 0.1;
const few = { cheap: 4, dear: 0 };

function search(model: CapacityModel, seed: number, isSpoilt: (load: number) => boolean = () => false) {
  const { workload, service } = openModel(model, seed);
  const player = new ModelledPlayer(workload, service, seed);
  const play = player.play.bind(player);
  player.play = async (order, watch) => ({
    ...(await play(order, watch)),
    generatorLimit: isSpoilt(order.load) ? { message: 'one core is busy', remedy: 'use --cores 2' } : null,
  });
  const bounds = { maxDurationMs: null, maxTurns: null, maxCost: null, maxStepMs: 10_800_000, restMs: 5000 };
  const { by, least, most } = model;
  return searchCapacity({ by, objectives: [objectiveOf(model)], least, most, width, ...bounds }, player);
}

const covers = ({ outcome, holds, broken }: Search, truth: number): boolean =>
  outcome === 'found' && (holds?.load ?? Infinity) <= truth && (broken?.load ?? 0) >= truth;

const countOf = (model: CapacityModel): number => (isWhole ? 100 : model.isCheap ? few.cheap : few.dear);

for (const model of capacityModels)
  test.skipIf(countOf(model) === 0)(
    `the interval contains the truth: ${model.name}`,
    { timeout: 600_000 },
    async () => {
      const count = countOf(model);
      let covered = 0;
      for (let trial = 0; trial < count; trial++) {
        const found = await search(model, firstSeed + trial);
        if (covers(found, model.truth)) covered++;
        if (found.outcome !== 'found') continue;
        const [low, high] = [found.holds?.load ?? 0, found.broken?.load ?? 0];
        expect(high <= low * (1 + width) * (1 + 1e-9) || high - low <= 1).toBe(true);
      }
      expect(covered).toBeGreaterThanOrEqual(leastOf(count, 0.95));
    },
  );

test('a starved generator is never the service', { timeout: 600_000 }, async () => {
  const model = capacityModels.find(({ isCheap }) => isCheap);
  if (model === undefined) throw new Error('there is no such model');
  for (let trial = 0; trial < (isWhole ? 100 : 10); trial++) {
    const found = await search(model, firstSeed + trial, (load) => load > 0.6 * model.truth);
    expect([found.outcome, found.broken]).toEqual(['generator_limited', null]);
  }
});

test.runIf(isWhole)(
  'takes fewer turns than bisection with steps as long as it needs',
  { timeout: 3_600_000 },
  async () => {
    const model = capacityModels.find(({ isCheap }) => isCheap);
    if (model === undefined) throw new Error('there is no such model');
    let [ours, theirs, covered] = [0, Infinity, 0];
    for (let trial = 0; trial < 100; trial++) ours += (await search(model, firstSeed + trial)).spent.turns;
    for (let stepMs = 300_000; covered < 95; stepMs *= 2) {
      [covered, theirs] = [0, 0];
      for (let trial = 0; trial < 100; trial++) {
        const { low, high, turns } = await bisect(model, { seed: firstSeed + trial, stepMs, width });
        theirs += turns;
        if (low <= model.truth && model.truth <= high) covered++;
      }
    }
    expect(ours).toBeLessThan(theirs);
  },
);
