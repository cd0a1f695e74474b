import { randomOf, type Random } from '../../src/base/random.ts';
import { readObjectives } from '../../src/capacity/objectives/read-objectives.ts';
import type { Objective } from '../../src/capacity/objectives/objective.ts';
import {
  exponentialMs,
  limitingService,
  logNormalMs,
  placesService,
  sharingService,
  type ModelledService,
} from './modelled-services.ts';
import type { EndedTurn, Workload } from './modelled-step.ts';

/** A service whose capacity is known otherwise. */
export interface CapacityModel {
  name: string;
  by: 'concurrency' | 'rate';
  objective: string;
  /** The load at which the objective breaks: by a formula, or by long simulation (`npm run bench -- capacity --only truths`). */
  truth: number;
  least: number;
  most: number;
  workload: Omit<Workload, 'by' | 'scores' | 'drawThinkMs'> & { thinkMs: number };
  serve: (random: Random) => ModelledService;
}

const alone = { turns: 5, thinkMs: 3000, maxAttempts: 1, backoffMs: 0 };

export const capacityModels: readonly CapacityModel[] = [
  {
    name: 'M/M/20, open: turn.p95 < 1.7 s',
    by: 'rate',
    objective: 'turn.p95 < 1.7s',
    truth: 7.17795,
    least: 0.1,
    most: 100,
    workload: alone,
    serve: (random) => placesService({ places: 20, drawMs: exponentialMs(random, 500) }),
  },
  {
    name: 'M/M/20, closed: turn.p95 < 2 s',
    by: 'concurrency',
    objective: 'turn.p95 < 2s',
    truth: 156.0,
    least: 1,
    most: 2000,
    workload: alone,
    serve: (random) => placesService({ places: 20, drawMs: exponentialMs(random, 500) }),
  },
  {
    name: 'processor sharing, open: turn.mean < 250 ms',
    by: 'rate',
    objective: 'turn.mean < 250ms',
    truth: 7.2,
    least: 0.1,
    most: 100,
    workload: alone,
    serve: (random) => sharingService(exponentialMs(random, 25)),
  },
  {
    name: '16 places, lognormal, closed: turn.p95 < 2 s',
    by: 'concurrency',
    objective: 'turn.p95 < 2s',
    truth: 109.87,
    least: 1,
    most: 2000,
    workload: alone,
    serve: (random) => placesService({ places: 16, drawMs: logNormalMs(random, { meanMs: 600, sigma: 0.6 }) }),
  },
  {
    name: 'refuses over a rate, open: turns.failedShare < 1 %',
    by: 'rate',
    objective: 'turns.failedShare < 1%',
    truth: 8.072,
    least: 0.1,
    most: 100,
    workload: alone,
    serve: (random) =>
      limitingService({ perSecond: 40, burst: 60, drawMs: logNormalMs(random, { meanMs: 600, sigma: 0.6 }) }),
  },
  {
    name: 'retries collapse it, open: retries.amplification < 1.1',
    by: 'rate',
    objective: 'retries.amplification < 1.1',
    truth: 7.043,
    least: 0.1,
    most: 100,
    workload: { ...alone, maxAttempts: 4, backoffMs: 200 },
    serve: (random) => placesService({ places: 20, drawMs: exponentialMs(random, 500), timeoutMs: 2000 }),
  },
  {
    name: 'turns grow dearer, closed: turn.p95 < 2 s',
    by: 'concurrency',
    objective: 'turn.p95 < 2s',
    truth: 106.41,
    least: 1,
    most: 2000,
    workload: { ...alone, turns: 8 },
    serve: (random) =>
      placesService({
        places: 16,
        drawMs: logNormalMs(random, { meanMs: 300, sigma: 0.5 }),
        dearer: (turn) => 1 + 0.3 * turn,
      }),
  },
];

/** The objective of a model, as the search reads it. */
export function objectiveOf({ objective }: Pick<CapacityModel, 'objective'>): Objective {
  const read = readObjectives([objective]);
  const [only] = 'objectives' in read ? read.objectives : [];
  if (only === undefined) throw new Error(`${objective} is no objective`);
  return only;
}

function workloadOf(model: CapacityModel, random: Random): Workload {
  const { by, workload } = model;
  const { turns, maxAttempts, backoffMs, thinkMs } = workload;
  return {
    by,
    turns,
    maxAttempts,
    backoffMs,
    drawThinkMs: exponentialMs(random, thinkMs),
    scores: [scoreOf(objectiveOf(model))],
  };
}

/** What a turn adds to the part that is judged. */
function scoreOf({ metric, limit }: Objective): (turn: EndedTurn) => number {
  if (metric === 'turn.mean') return ({ tookMs }) => tookMs;
  if (metric === 'turns.failedShare') return ({ isOk }) => (isOk ? 0 : 1);
  if (metric === 'retries.amplification') return ({ attempts }) => attempts - 1;
  return ({ tookMs }) => (tookMs > limit ? 1 : 0);
}

/** A model's service and sessions, seeded. */
export function openModel(model: CapacityModel, seed: number): { workload: Workload; service: ModelledService } {
  return { workload: workloadOf(model, randomOf(seed, 1)), service: model.serve(randomOf(seed, 2)) };
}
