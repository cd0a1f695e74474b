import { randomOf, type Random } from '../../../base/random.ts';
import { readObjectives, type Objective } from '../judge/objective.ts';
import {
  exponentialMs,
  limitingService,
  logNormalMs,
  placesService,
  sharingService,
  type ModelledService,
} from '../../../../test/support/modelled-services.ts';
import type { EndedTurn, Workload } from './modelled-step.ts';

/** A service whose capacity is known otherwise. */
export interface CapacityModel {
  name: string;
  by: 'concurrency' | 'rate';
  objective: string;
  /** The load at which the objective breaks: by a formula, or by long simulation (`npm run bench -- capacity --only truths`). */
  truth: number;
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
    workload: alone,
    serve: (random) => placesService({ places: 20, drawMs: exponentialMs(random, 500) }),
  },
  {
    name: 'M/M/20, closed: turn.p95 < 2 s',
    by: 'concurrency',
    objective: 'turn.p95 < 2s',
    truth: 156.0,
    workload: alone,
    serve: (random) => placesService({ places: 20, drawMs: exponentialMs(random, 500) }),
  },
  {
    name: 'processor sharing, open: turn.mean < 250 ms',
    by: 'rate',
    objective: 'turn.mean < 250ms',
    truth: 7.2,
    workload: alone,
    serve: (random) => sharingService(exponentialMs(random, 25)),
  },
  {
    name: '16 places, lognormal, closed: turn.p95 < 2 s',
    by: 'concurrency',
    objective: 'turn.p95 < 2s',
    truth: 109.87,
    workload: alone,
    serve: (random) => placesService({ places: 16, drawMs: logNormalMs(random, { meanMs: 600, sigma: 0.6 }) }),
  },
  {
    name: 'refuses over a rate, open: turns.failedShare < 1 %',
    by: 'rate',
    objective: 'turns.failedShare < 1%',
    truth: 8.072,
    workload: alone,
    serve: (random) =>
      limitingService({ perSecond: 40, burst: 60, drawMs: logNormalMs(random, { meanMs: 600, sigma: 0.6 }) }),
  },
  {
    name: 'retries collapse it, open: retries.amplification < 1.1',
    by: 'rate',
    objective: 'retries.amplification < 1.1',
    truth: 7.043,
    workload: { ...alone, maxAttempts: 4, backoffMs: 200 },
    serve: (random) => placesService({ places: 20, drawMs: exponentialMs(random, 500), timeoutMs: 2000 }),
  },
  {
    name: 'turns grow dearer, closed: turn.p95 < 2 s',
    by: 'concurrency',
    objective: 'turn.p95 < 2s',
    truth: 106.41,
    workload: { ...alone, turns: 8 },
    serve: (random) =>
      placesService({
        places: 16,
        drawMs: logNormalMs(random, { meanMs: 300, sigma: 0.5 }),
        dearer: (turn) => 1 + 0.3 * turn,
      }),
  },
];

const oneTurn = { turns: 1, thinkMs: 0, maxAttempts: 1, backoffMs: 0 };

/** Slots with a constant service time, and one-turn sessions: the 95th percentile may be twice that time. */
function slotsModel({ slots, serviceMs, truth }: { slots: number; serviceMs: number; truth: number }): CapacityModel {
  return {
    name: `${String(slots)} slots of ${String(serviceMs)} ms, open: Poisson`,
    by: 'rate',
    objective: `turn.p95 < ${String(2 * serviceMs)}ms`,
    truth,
    workload: oneTurn,
    serve: () => placesService({ places: slots, drawMs: () => serviceMs }),
  };
}

/** Models of one-turn sessions, with limits from one to 10,000 sessions per second. */
export const oneTurnModels: readonly CapacityModel[] = [
  slotsModel({ slots: 8, serviceMs: 8000, truth: 0.8492 }),
  slotsModel({ slots: 8, serviceMs: 320, truth: 21.23 }),
  slotsModel({ slots: 8, serviceMs: 50, truth: 135.88 }),
  slotsModel({ slots: 100, serviceMs: 50, truth: 1978 }),
  slotsModel({ slots: 500, serviceMs: 50, truth: 9978 }),
  {
    ...slotsModel({ slots: 8, serviceMs: 50, truth: 160 }),
    name: '8 slots of 50 ms, open with constant gaps',
    workload: { ...oneTurn, arrivals: 'constant' },
  },
  {
    ...slotsModel({ slots: 8, serviceMs: 50, truth: 16.5 }),
    name: '8 slots of 50 ms, closed: turn.p95 < 110 ms',
    by: 'concurrency',
    objective: 'turn.p95 < 110ms',
  },
  {
    name: 'M/M/8 of 50 ms, open: turn.p95 < 250 ms',
    by: 'rate',
    objective: 'turn.p95 < 250ms',
    truth: 144.25,
    workload: oneTurn,
    serve: (random) => placesService({ places: 8, drawMs: exponentialMs(random, 50) }),
  },
  {
    name: 'processor sharing of 5 ms, open: turn.mean < 25 ms',
    by: 'rate',
    objective: 'turn.mean < 25ms',
    truth: 160.2,
    workload: oneTurn,
    serve: (random) => sharingService(exponentialMs(random, 5)),
  },
  {
    name: 'refuses over 160 per second, open: turns.failedShare < 1 %',
    by: 'rate',
    objective: 'turns.failedShare < 1%',
    truth: 160.58,
    workload: oneTurn,
    serve: (random) =>
      limitingService({ perSecond: 160, burst: 60, drawMs: logNormalMs(random, { meanMs: 50, sigma: 0.6 }) }),
  },
  {
    name: 'refusals over 160 per second are retried, open: retries.amplification < 1.1',
    by: 'rate',
    objective: 'retries.amplification < 1.1',
    truth: 159.4,
    workload: { ...oneTurn, maxAttempts: 4, backoffMs: 100 },
    serve: (random) =>
      limitingService({ perSecond: 160, burst: 60, drawMs: logNormalMs(random, { meanMs: 50, sigma: 0.6 }) }),
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
  const { thinkMs, ...rest } = workload;
  return {
    ...rest,
    by,
    drawThinkMs: exponentialMs(random, thinkMs),
    scores: [scoreOf(objectiveOf(model))],
  };
}

/** Returns the contribution of a turn to the objective's metric. */
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
