import { randomOf } from '../../../base/random.ts';
import type { Beat } from '../judge/player.ts';
import { objectiveOf, openModel, type CapacityModel } from './capacity-models.ts';
import { ModelledPlayer } from './modelled-player.ts';

/** Result and cost of a plain bisection. */
export interface Bisected {
  low: number;
  high: number;
  turns: number;
}

/** The first part of a step that is not judged. */
const warmUp = 0.1;

/**
 * Reference for the capacity search: bisection on a logarithmic scale, with steps of one length, each judged by the
 * counts after its first tenth. It starts at a random point within a factor of two, so that no sequence of loads is
 * favoured, and every step has a fresh service, because a remaining queue would distort it.
 */
export async function bisect(
  model: CapacityModel,
  { seed, stepMs, width }: { seed: number; stepMs: number; width: number },
): Promise<Bisected> {
  const { limit } = objectiveOf(model).share;
  const [min, max] = model.by === 'concurrency' ? [1, 2000] : [0.1, 100];
  let [low, high] = [min * 2 ** randomOf(seed, 5)(), max];
  let turns = 0;
  for (let number = 1; high > low * (1 + width); number++) {
    const between = Math.sqrt(low * high);
    const load = model.by === 'concurrency' ? Math.round(between) : between;
    const sums = { part: 0, whole: 0 };
    const watch = { settledMs: 0, beat: (beat: Beat) => count(beat, sums, stepMs * warmUp) };
    const order = {
      number,
      load,
      by: model.by,
      purpose: 'narrow',
      maxMs: stepMs,
      maxTurns: null,
      maxSessions: null,
    } as const;
    const { workload, service } = openModel(model, 100 * seed + number);
    const { sent } = await new ModelledPlayer(workload, service, seed).play(order, watch);
    turns += sent;
    if (sums.part <= limit * sums.whole) low = load;
    else high = load;
  }
  return { low, high, turns };
}

function count({ startMs, parts }: Beat, sums: { part: number; whole: number }, fromMs: number): 'go' {
  if (startMs >= fromMs) {
    sums.part += parts[0]?.part ?? 0;
    sums.whole += parts[0]?.whole ?? 0;
  }
  return 'go';
}
