import type { Search } from '../../src/capacity/search/search.ts';
import { searchCapacity } from '../../src/capacity/search/search-capacity.ts';
import { objectiveOf, openModel, type CapacityModel } from './capacity-models.ts';
import { ModelledPlayer } from './modelled-player.ts';

/** How far apart the ends of a search may be. */
export const searchedWidth = 0.1;

/** Searches a model in virtual time, its longest step of six hours, without other bounds. `isSpoilt`: steps that the generator cannot carry. */
export function searchModel(
  model: CapacityModel,
  seed: number,
  isSpoilt: (step: { load: number; number: number }) => boolean = () => false,
): Promise<Search> {
  const { workload, service } = openModel(model, seed);
  const player = new ModelledPlayer(workload, service, seed);
  const play = player.play.bind(player);
  player.play = async (order, watch) => ({
    ...(await play(order, watch)),
    generatorLimit: isSpoilt(order) ? { message: 'one core is busy', remedy: 'use --cores 2' } : null,
  });
  const bounds = { maxDurationMs: null, maxTurns: null, maxCost: null, maxStepMs: 21_600_000, restMs: 5000 };
  const { by, least, most } = model;
  return searchCapacity({ by, objectives: [objectiveOf(model)], least, most, width: searchedWidth, ...bounds }, player);
}

/** Whether both ends were found, with the truth between them. */
export function covers({ outcome, holds, broken }: Search, { truth }: CapacityModel): boolean {
  return outcome === 'found' && (holds?.load ?? Infinity) <= truth && (broken?.load ?? 0) >= truth;
}
