import { randomOf } from '../../../base/random.ts';
import { mean, scatter } from '../../../statistics/averages.ts';
import { objectiveOf, openModel, type CapacityModel } from './capacity-models.ts';
import { ModelledStep } from './modelled-step.ts';

/** Finds the level at which the objective of a model breaks, by long simulation. */
export interface SimulatedTruth {
  load: number;
  standardError: number;
}

/** Loads around the truth that is in the table, as factors: near enough for a straight line. */
const around = [0.99, 1, 1.01];
/** Skipped start of each run: minutes of virtual time. */
const warmUpMinutes = 30;

/**
 * Simulates a model at loads around its truth, `replications` times for `hours` of virtual time each, and finds where a
 * straight line through the objective's metric (a share by its logit, other ratios by their logarithm) crosses the limit.
 * The standard error is the error of the mean over the replications.
 */
export function simulateTruth(
  model: CapacityModel,
  { hours, replications, firstSeed }: { hours: number; replications: number; firstSeed: number },
): SimulatedTruth {
  const crossings = Array.from({ length: replications }, (_, at) => crossingOf(model, hours, firstSeed + at));
  const spread = Math.sqrt(scatter(crossings) / (replications - 1));
  return { load: mean(crossings), standardError: spread / Math.sqrt(replications) };
}

function crossingOf(model: CapacityModel, hours: number, seed: number): number {
  const { limit } = objectiveOf(model).share;
  const scale = limit < 1 ? (share: number) => Math.log(share / (1 - share)) : Math.log;
  const points = loadsOf(model).map((load, at) => {
    const ratio = simulate(model, { load, hours, seed: 100 * seed + at });
    return { x: Math.log(load), y: scale(ratio) - scale(limit) };
  });
  const [centre, level] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const slope =
    points.reduce((sum, { x, y }) => sum + (x - centre) * (y - level), 0) / scatter(points.map(({ x }) => x));
  return Math.exp(centre - level / slope);
}

/** Whole sessions by concurrency. */
const loadsOf = ({ by, truth }: CapacityModel): number[] =>
  around.map((factor) => (by === 'concurrency' ? Math.round(truth * factor) : truth * factor));

/** The judged ratio over a long run. */
function simulate(model: CapacityModel, { load, hours, seed }: { load: number; hours: number; seed: number }): number {
  const { workload, service } = openModel(model, seed);
  const step = new ModelledStep(workload, service, { load, startsAt: 0, random: randomOf(seed, 3) });
  const sum = { part: 0, whole: 0 };
  for (let second = 0; second < hours * 3600; second++) {
    const [{ part, whole } = { part: 0, whole: 0 }] = step.beat().parts;
    if (second < warmUpMinutes * 60) continue;
    sum.part += part;
    sum.whole += whole;
  }
  return sum.part / sum.whole;
}
