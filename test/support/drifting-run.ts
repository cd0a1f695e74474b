import { randomNormal, randomPoisson } from 'd3-random';
import { ms } from '../../src/base/time.ts';
import { randomOf } from '../../src/base/random.ts';
import { buildDrift, type DriftParts } from '../../src/result/drift/build-drift.ts';
import type { Drift, SeriesDrift } from '../../src/result/sections/drift.ts';
import type { Interval } from '../../src/result/sections/intervals.ts';
import { encodeValues } from './encode-values.ts';

/** Parameters of a synthetic run. */
export interface DriftingRun {
  seed: number;
  /** Autocorrelation of consecutive intervals. */
  memory: number;
  /** Standard deviation of the level's logarithm from interval to interval; 5 % by default. */
  noise?: number;
  intervals?: number;
  intervalMs?: number;
  turnsPerInterval?: number;
  /** The slowness of the service at an instant in hours: 1 for as fast as ever. */
  slowness?: (hours: number) => number;
  /** The share of failed turns, 1 % by default. */
  failedShare?: (hours: number) => number;
  generator?: (hours: number) => Interval['generator'];
}

/** Closed load with an objective, all the time. */
export const steadyPlan: DriftParts['plan'] = {
  durationMs: null,
  objectiveMs: 2000,
  objectiveFirstTokenMs: null,
  cost: null,
  prices: null,
  target: { stream: false },
  load: {
    model: 'closed',
    segments: [{ startMs: ms(0), endMs: null, from: 20, to: 20 }],
    maxTurnsInFlight: null,
  },
};

/** The drift of a made-up run: eight hours of 64 s each, with about 60 turns, unless given otherwise. */
export function driftOf(run: DriftingRun, parts: Partial<DriftParts> = {}): Drift {
  return buildDrift({ plan: steadyPlan, intervals: driftingIntervals(run), gates: [], ...parts });
}

export function seriesOf({ series }: Drift, name: string): SeriesDrift {
  const found = series.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no series ${name}`);
  return found;
}

/**
 * Generates its intervals: lognormal latencies with a median of 200 ms, times a level that follows an autoregressive
 * process; under closed load, a slower service completes fewer turns; failures vary likewise.
 */
export function driftingIntervals({
  seed,
  memory,
  noise = 0.05,
  intervals = 450,
  intervalMs = 64_000,
  turnsPerInterval = 60,
  slowness = () => 1,
  failedShare = () => 0.01,
  generator = () => null,
}: DriftingRun): Interval[] {
  const random = randomOf(6, seed);
  const normal = randomNormal.source(random)(0, 1);
  const poisson = randomPoisson.source(random);
  const levels = [wander(normal, memory), wander(normal, memory)] as const;
  return Array.from({ length: intervals }, (_, at) => {
    const hours = ((at + 0.5) * intervalMs) / 3_600_000;
    const slow = slowness(hours) * Math.exp(noise * levels[0]());
    const count = poisson(turnsPerInterval / slow)();
    const values = Array.from({ length: count }, () => Math.round(200_000 * slow * Math.exp(0.4 * normal())));
    const failed = poisson(count * failedShare(hours) * Math.exp(0.3 * levels[1]()))();
    const lengthMs = intervalMs;
    return intervalOf({ startMs: at * lengthMs, lengthMs, values, failed, generator: generator(hours) });
  });
}

/** A stationary autoregressive process of mean 0 and variance 1. */
function wander(normal: () => number, memory: number): () => number {
  let level = normal();
  return () => (level = memory * level + Math.sqrt(1 - memory ** 2) * normal());
}

interface IntervalParts extends Pick<Interval, 'startMs' | 'lengthMs' | 'generator'> {
  /** Latencies of ok turns, in whole microseconds. */
  values: readonly number[];
  failed: number;
}

function intervalOf({ startMs, lengthMs, values, failed, generator }: IntervalParts): Interval {
  const [ok, sent] = [values.length, values.length + failed];
  const good = values.filter((us) => us <= 2_000_000).length;
  const stored = {
    count: ok,
    sumMs: values.reduce((sum, us) => sum + us, 0) / 1000,
    minMs: Math.min(...values) / 1000,
    maxMs: Math.max(...values) / 1000,
    hdr: encodeValues(values),
  };
  return {
    startMs,
    lengthMs,
    warmUp: false,
    turns: { sent, ok, failed, good, byClass: { ok, internal_error: failed } },
    attempts: { total: sent, byClass: { ok, internal_error: failed }, retries: 0 },
    createAttempts: { total: 0, byClass: {} },
    sessions: { started: 0, created: 0, createFailed: 0, ended: 0 },
    integrity: { replies: 0, failed: 0 },
    concurrency: null,
    generator,
    latency: ok === 0 ? {} : { 'turn.ok': stored },
  };
}
