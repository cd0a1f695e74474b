import { randomLogNormal } from 'd3-random';
import { randomOf } from '../../src/base/random.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { DenseHistogram } from '../../src/record/dense-histogram.ts';
import { writeSparse } from '../../src/record/histogram.ts';
import type { Interval } from '../../src/result/sections/intervals.ts';
import type { LatencySummary } from '../../src/result/sections/latency-summary.ts';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { resultOf, snapshotOf } from './synthetic-result.ts';

/** Parameters of a synthetic run of a release. */
export interface ReleaseRun {
  id: string;
  /** Seed of the latencies, independent of the scenario's seed. */
  draw?: number;
  sitting?: string | null;
  pair?: string | null;
  scenario?: Partial<Scenario>;
  intervals?: number;
  turnsPerInterval?: number;
  /** All turns take this many times as long. */
  slowness?: number;
  /** The slowest 5 % take this many times as long. */
  tail?: number;
  /** Failed turns an interval. */
  failed?: number;
  /** Sessions an interval whose creation failed for good. */
  notCreated?: number;
  /** Sessions created per interval. Default: as many as turns. */
  created?: number;
  /** Only creations take this many milliseconds more. */
  creationDelayMs?: number;
}

const intervalMs = 1000;

/** The result of a valid run with lognormal latencies, 200 ms in the median, all in its intervals. */
export function releaseRun(options: ReleaseRun): Result {
  const { id, draw = 1, intervals = 60, failed = 0, turnsPerInterval = 200, scenario = {} } = options;
  const length = scenario.sessions === undefined ? { duration: `${String(intervals)}s` } : {};
  const asked = { name: 'release', messages: ['Hi'], ...length, ...scenario };
  const { plan } = resolveScenario(asked, { flags: {}, environment: {} });
  const empty = resultOf({ plan, snapshot: snapshotOf(plan, intervals * intervalMs, () => undefined) });
  const latencies = latenciesOf(options, draw);
  const random = randomOf(21, draw);
  const made = Array.from({ length: intervals }, (_, at) => {
    // Within half a per cent, because two runs never complete exactly the same amount.
    const turns = Math.round(turnsPerInterval * (0.995 + random() / 100));
    const values = latencies(turns);
    const creations = values.slice(0, options.created).map((us) => us + 1000 * (options.creationDelayMs ?? 0));
    return intervalOf({ startMs: at * intervalMs, values, failed, creations, notCreated: options.notCreated });
  });
  const { sitting = null, pair = null } = options;
  const ok = made.reduce((sum, each) => sum + each.turns.ok, 0);
  const result = structuredClone(empty);
  const [attempts, turns] = [result.outcomes.attempts, result.outcomes.turns];
  attempts.ok = ok;
  turns.ok = ok;
  attempts.internal_error = failed * intervals;
  turns.internal_error = failed * intervals;
  result.latency.turn.count = ok + failed * intervals;
  for (const position of result.positions.slice(0, 1)) position.ok = summaryOf(made);
  return {
    ...result,
    run: { ...result.run, id, sitting, pair },
    validity: { verdict: 'valid', reasons: [] },
    books: { ...result.books, balanced: true },
    intervals: made,
  };
}

/** Values of a lognormal distribution with sigma 0.5, in microseconds, the slowest 5 % of which are drawn out. */
function latenciesOf({ slowness = 1, tail = 1 }: ReleaseRun, draw: number): (count: number) => number[] {
  const value = randomLogNormal.source(randomOf(20, draw))(Math.log(200_000), 0.5);
  const p95 = 200_000 * Math.exp(0.5 * 1.6449);
  const next = (): number => {
    const us = value();
    return Math.round((us > p95 ? us * tail : us) * slowness);
  };
  return (count) => Array.from({ length: count }, next);
}

interface IntervalParts {
  startMs: number;
  values: readonly number[];
  failed: number;
  creations?: readonly number[];
  notCreated?: number | undefined;
}

function intervalOf({ startMs, values, failed, creations = values, notCreated = 0 }: IntervalParts): Interval {
  const series = storedOf(values);
  const created = creations.length;
  const [ok, sent] = [values.length, values.length + failed];
  return {
    startMs,
    lengthMs: intervalMs,
    warmUp: false,
    turns: { sent, ok, failed, good: ok, byClass: { ok, internal_error: failed } },
    attempts: { total: sent, byClass: { ok, internal_error: failed }, retries: 0 },
    createAttempts: { total: created + notCreated, byClass: { ok: created, forbidden: notCreated } },
    sessions: { started: created + notCreated, created, createFailed: notCreated, ended: created + notCreated },
    integrity: { replies: 0, failed: 0 },
    concurrency: null,
    generator: null,
    latency: {
      'turn.ok': series,
      'attempt.ok': series,
      'effective.ok': series,
      sessionCreate: creations === values ? series : storedOf(creations),
    },
  };
}

/** Empty between two series. */
const histogram = new DenseHistogram();

/** Whole microseconds as a stored series. */
export function storedOf(values: readonly number[]) {
  for (const value of values) histogram.record(value);
  const hdr = writeSparse(histogram.filled());
  histogram.clear();
  const sumUs = values.reduce((sum, value) => sum + value, 0);
  return {
    count: values.length,
    sumMs: sumUs / 1000,
    minMs: values.length === 0 ? 0 : Math.min(...values) / 1000,
    maxMs: values.length === 0 ? 0 : Math.max(...values) / 1000,
    hdr,
  };
}

/** The part of a summary that tests read. */
function summaryOf(intervals: readonly Interval[]): LatencySummary {
  const [first] = intervals.map(({ latency }) => latency['turn.ok']);
  const { count = 0, sumMs = 0, minMs = null, maxMs = null, hdr = null } = first ?? {};
  const percentiles = { p50Ms: null, p75Ms: null, p90Ms: null, p95Ms: null, p99Ms: null, p999Ms: null, p9999Ms: null };
  return {
    count,
    sumMs,
    minMs,
    meanMs: null,
    maxMs,
    ...percentiles,
    p99AtMaxMs: null,
    intervals: null,
    errorMs: null,
    hdr,
  };
}
