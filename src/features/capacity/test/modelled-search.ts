import type { Search, SearchSettings } from '../search/search.ts';
import { searchCapacity } from '../search/search-capacity.ts';
import { objectiveOf, openModel, type CapacityModel } from './capacity-models.ts';
import { ModelledPlayer } from './modelled-player.ts';

/** Tolerance of the searches. */
export const searchedWidth = 0.15;

/** The defaults of the command, for a service with enough sockets. */
export const usualBounds = {
  maxLive: 10_000,
  maxDurationMs: 1_800_000,
  isDurationUsual: true,
  maxTurns: null,
  maxSessions: null,
  maxCost: null,
  maxStepMs: 300_000,
  restMs: 2000,
} as const;

/** Settings of a search of a model that names nothing but its objective. */
function searchSettings(model: CapacityModel): SearchSettings {
  const { by, workload } = model;
  const [min, max] = by === 'concurrency' ? [1, 10_000] : [0.01, 1_000_000];
  const asked = { by, objectives: [objectiveOf(model)], sessionTurns: workload.turns };
  return { ...asked, min, max, tolerance: searchedWidth, ...usualBounds };
}

/** For sessions with think times, whose queues take minutes to build and drain: no limit on the duration. */
const unbounded = { maxDurationMs: null, maxStepMs: 21_600_000 } as const;

/** Searches a model in virtual time: one-turn sessions with the defaults. `isSpoilt`: steps that the generator cannot sustain. */
export function searchModel(
  model: CapacityModel,
  seed: number,
  isSpoilt: (step: { load: number; number: number; by: string }) => boolean = () => false,
): Promise<Search> {
  const { workload, service } = openModel(model, seed);
  const player = new ModelledPlayer(workload, service, seed);
  const play = player.play.bind(player);
  player.play = async (order, watch) => ({
    ...(await play(order, watch)),
    generatorLimit: isSpoilt(order) ? { message: 'one core is busy', remedy: 'use --cores 2' } : null,
  });
  const bounds = model.workload.turns === 1 ? {} : unbounded;
  return searchCapacity({ ...searchSettings(model), ...bounds }, player);
}

/** Reports whether both ends were found, with the truth between them. */
export function covers({ outcome, holds, broken }: Search, { truth }: CapacityModel): boolean {
  return outcome === 'found' && (holds?.load ?? Infinity) <= truth && (broken?.load ?? 0) >= truth;
}
