import { randomExponential, randomLogNormal, randomNormal } from 'd3-random';
import type { Random } from '../../src/base/random.ts';

/** A service under open load, as a model: 8 workers, each with a queue, dealt to in turn. */
export interface ModelService {
  seconds: number;
  /** Turns, on average. */
  perSecond: number;
  utilisation: number;
}

export const services = {
  A: { seconds: 60, perSecond: 50, utilisation: 0.6 },
  B: { seconds: 300, perSecond: 200, utilisation: 0.6 },
} as const satisfies Record<string, ModelService>;

/** Turns that ended in a second of a modelled run: durations in whole microseconds, and counts. */
export interface ModelSecond {
  attempts: number[];
  turns: number[];
  creations: number[];
  failedCreations: number;
  failedTurns: number;
  retries: number;
}

const workers = 8;
const warmUpSeconds = 10;
const sigma = 0.6;
/** The arrival rate and the speed of the service drift: how much (as a standard deviation of logarithms), and how slowly. */
const drift = { deviation: 0.03, memory: 0.9 };
const slow = { share: 0.001, times: 4 };
const retriedShare = 0.002;
const failedShare = 0.001;
const notCreatedShare = 0.005;
const turnsASession = 5;

/**
 * Models a run of a service by the second. Sums of neighbouring seconds are correlated, through queues and through drift:
 * the noise within a run is far above the noise of independent turns. Two runs differ only by chance.
 */
export function modelRun(service: ModelService, random: Random): ModelSecond[] {
  const meanUs = (workers * service.utilisation * 1e6) / service.perSecond;
  const seconds = service.seconds + warmUpSeconds;
  const [rate, speed] = [drifting(seconds, random), drifting(seconds, random)];
  // The mean is meanUs.
  const serviceUs = randomLogNormal.source(random)(Math.log(meanUs) - sigma ** 2 / 2, sigma);
  const gap = randomExponential.source(random)(1);
  const freeAt = new Float64Array(workers);
  const run = Array.from({ length: seconds }, nothingYet);
  let arrivals = 0;
  run.forEach((second, number) => {
    const perUs = (service.perSecond * (rate[number] ?? 1)) / 1e6;
    const draw = (): number => serviceUs() * (random() < slow.share ? slow.times : 1) * (speed[number] ?? 1);
    // Gaps between arrivals are memoryless: each second may restart.
    for (let at = gap() / perUs; at < 1e6; at += gap() / perUs) {
      const due = number * 1e6 + at;
      const worker = arrivals++ % workers;
      freeAt[worker] = Math.max(due, freeAt[worker] ?? 0) + draw();
      count(second, { us: freeAt[worker] - due, arrivals, draw, random });
    }
  });
  return run.slice(warmUpSeconds);
}

interface Ended {
  us: number;
  arrivals: number;
  draw: () => number;
  random: Random;
}

/** An attempt and its turn; some are tried again, a few fail for good, and every fifth had its session created before. */
function count(second: ModelSecond, { us, arrivals, draw, random }: Ended): void {
  second.attempts.push(Math.round(us));
  const isRetried = random() < retriedShare;
  if (isRetried) second.retries++;
  if (random() < failedShare) second.failedTurns++;
  else second.turns.push(Math.round(us + (isRetried ? draw() : 0)));
  if (arrivals % turnsASession !== 0) return;
  if (random() < notCreatedShare) second.failedCreations++;
  else second.creations.push(Math.round(us / 2 + draw() / 2));
}

const nothingYet = (): ModelSecond => ({
  attempts: [],
  turns: [],
  creations: [],
  failedCreations: 0,
  failedTurns: 0,
  retries: 0,
});

/** A factor that wanders around 1 from second to second. */
function drifting(seconds: number, random: Random): number[] {
  const normal = randomNormal.source(random)(0, drift.deviation);
  const fresh = Math.sqrt(1 - drift.memory ** 2);
  let log = normal();
  return Array.from({ length: seconds }, (_, number) => {
    if (number > 0) log = drift.memory * log + fresh * normal();
    return Math.exp(log);
  });
}
