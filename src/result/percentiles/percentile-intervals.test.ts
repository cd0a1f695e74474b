import { randomNormal } from 'd3-random';
import { describe, expect, test } from 'vitest';
import { turnOf } from '../../../test/support/session-records.ts';
import { finishedRun, resultOf, snapshotOf } from '../../../test/support/synthetic-result.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { minOf, trials } from '../../../test/support/trials.ts';
import { instant } from '../../base/time.ts';
import { randomOf } from '../../base/random.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { turnSeriesNames } from '../../record/series.ts';
import type { Tally } from '../../record/tally.ts';
import { addTallies, measuredParts } from '../sections/figures.ts';
import { buildLatency } from '../sections/latency.ts';
import type { Result, ResultParts } from '../result.ts';

interface Service {
  seed: number;
  seconds: number;
  perSecond: number;
  /** Part of a second's speed from the second before. */
  memory: number;
  /** Standard deviation of the logarithm of the speed, in addition to the deviation of a turn. */
  drift: number;
  failedShare?: number;
}

const medianMs = 200;
const turnSigma = 0.4;

/** A run against a service whose speed changes slowly and whose turns are lognormal. */
function record(
  { seed, seconds, perSecond, memory, drift, failedShare = 0 }: Service,
  scenario: Partial<Scenario> = {},
): Pick<ResultParts, 'plan' | 'snapshot'> {
  const plan = planFor(scenario);
  const random = randomOf(seed);
  const normal = randomNormal.source(random)(0, 1);
  let speed = normal();
  const snapshot = snapshotOf(plan, seconds * 1000, (recorder) => {
    for (let second = 0; second < seconds; second++) {
      for (let i = 0; i < perSecond; i++) {
        const endedAt = instant((second + (i + 0.5) / perSecond) * 1000);
        const tookMs = medianMs * Math.exp(turnSigma * normal() + drift * speed);
        const firstSentAt = instant(Math.max(0, endedAt - tookMs));
        const outcome = random() < failedShare ? 'server_error' : 'ok';
        const gaveUp = outcome === 'ok' ? undefined : 'final';
        recorder.turn(turnOf({ due: firstSentAt, ready: firstSentAt, firstSentAt, endedAt, outcome, gaveUp }));
      }
      recorder.roll(instant((second + 1) * 1000));
      speed = memory * speed + Math.sqrt(1 - memory ** 2) * normal();
    }
  });
  return { plan, snapshot };
}

const run = (service: Service, scenario: Partial<Scenario> = {}): Result => resultOf(record(service, scenario));

/** The turns alone of a recorded run: all other series would take time. */
function turnsOf(snapshot: Snapshot) {
  const names = turnSeriesNames('ok');
  const only = ({ series, counters }: Tally): Tally => ({
    counters,
    series: Object.fromEntries(names.map((name) => [name, series[name]])),
  });
  const through = measuredParts(snapshot).map(({ lengthMs, tallies }) => ({
    lengthMs,
    tallies: tallies.map(only),
  }));
  return buildLatency(only(addTallies(snapshot.totals).tally), through).turn;
}

const trueMs = { p50Ms: 0, p95Ms: 1.6448536 } as const;
const trueOf = (key: keyof typeof trueMs, drift: number): number =>
  medianMs * Math.exp(trueMs[key] * Math.hypot(turnSigma, drift));

describe('the interval of a percentile', () => {
  test.each([
    { what: 'independent turns', service: { seconds: 60, perSecond: 36, memory: 0, drift: 0 } },
    { what: 'a service that wanders', service: { seconds: 180, perSecond: 12, memory: 0.8, drift: 0.1 } },
  ])('contains the true one in nearly 95 of 100 runs: $what', ({ service }) => {
    const runs = trials(100);
    const held = { p50Ms: 0, p95Ms: 0 };
    for (let seed = 1; seed <= runs; seed++) {
      const { snapshot } = record({ seed, ...service });
      const turn = turnsOf(snapshot);
      for (const key of ['p50Ms', 'p95Ms'] as const) {
        const { lowMs, highMs } = turn.intervals?.[key] ?? { lowMs: NaN, highMs: NaN };
        const truth = trueOf(key, service.drift);
        if (lowMs <= truth && truth <= (highMs ?? Infinity)) held[key]++;
        expect(lowMs).toBeLessThanOrEqual(turn[key] ?? NaN);
        expect(highMs).toBeGreaterThanOrEqual(turn[key] ?? NaN);
      }
    }
    // A little less than 95: batches of a service with memory resemble each other.
    for (const key of ['p50Ms', 'p95Ms'] as const) expect(held[key], key).toBeGreaterThanOrEqual(minOf(runs, 0.94));
    // Intervals that are too wide would contain it every time.
    expect(held.p50Ms + held.p95Ms).toBeLessThan(2 * runs);
  });

  test('is narrower by half for a run four times as long', () => {
    const widthOf = (seconds: number): number => {
      const widths = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => {
        const turn = turnsOf(record({ seed, seconds, perSecond: 12, memory: 0, drift: 0 }).snapshot);
        return (turn.intervals?.p50Ms?.highMs ?? NaN) - (turn.intervals?.p50Ms?.lowMs ?? NaN);
      });
      return widths.reduce((sum, width) => sum + width) / widths.length;
    };
    const ratio = widthOf(400) / widthOf(100);
    expect(ratio).toBeGreaterThan(0.35);
    expect(ratio).toBeLessThan(0.7);
  });

  test('is not computed below 12 intervals, or with fewer than 100 values beyond the percentile', () => {
    const steady = { seed: 1, memory: 0, drift: 0 };
    expect(run({ ...steady, seconds: 11, perSecond: 100 }).latency.turn.intervals).toBeNull();
    const { intervals } = run({ ...steady, seconds: 20, perSecond: 99 }).latency.turn;
    expect(intervals).toMatchObject({ p95Ms: null, p99Ms: null });
    expect(intervals?.p90Ms).not.toBeNull();
    expect(run({ ...steady, seconds: 20, perSecond: 100 }).latency.turn.intervals?.p95Ms).not.toBeNull();
  });

  test('exists for ok and failed turns, positions and policies; infinite ends of adjusted ones are null', () => {
    const result = run({ seed: 3, seconds: 60, perSecond: 60, memory: 0, drift: 0, failedShare: 0.1 });
    const { turn, effective } = result.latency;
    for (const summary of [
      turn,
      turn.ok,
      turn.failed,
      effective.ok,
      result.positions[0],
      result.retries.policies[0]?.latency.turn,
    ])
      expect(summary?.intervals?.p50Ms?.highMs).toBeGreaterThan(summary?.p50Ms ?? NaN);
    // A tenth of the turns failed: the percentile at nine tenths may be a failed one.
    expect(turn.adjusted.intervals?.p75Ms?.highMs).toBeGreaterThan(turn.adjusted.p75Ms ?? NaN);
    expect(turn.adjusted.intervals?.p95Ms).toBeNull();
    const nearly = { seconds: 60, perSecond: 60, memory: 0, drift: 0, failedShare: 0.098 };
    const runs = [1, 2, 3, 4, 5, 6].map((seed) => run({ seed, ...nearly }).latency.turn.adjusted);
    const finite = runs.find(({ p90Ms }) => p90Ms !== null);
    expect(finite?.intervals?.p90Ms).toEqual({ lowMs: expect.any(Number) as number, highMs: null });
  });
});

describe('a confident gate', () => {
  const steady = { seed: 5, seconds: 60, perSecond: 50, memory: 0, drift: 0 };
  const { p95Ms, intervals } = run(steady).latency.turn;
  const gateOn = (condition: string, confident: boolean, service = steady) =>
    run(service, { gates: { 'turn.p95': { gate: condition, confident } } }).gates[0];
  const within = `${String(((p95Ms ?? 0) + (intervals?.p95Ms?.highMs ?? 0)) / 2)}ms`;
  const below = `${String(((p95Ms ?? 0) + (intervals?.p95Ms?.lowMs ?? 0)) / 2)}ms`;

  test('fails if the percentile holds but the end of its interval does not', () => {
    expect(gateOn(`< ${within}`, false)).toMatchObject({ verdict: 'pass', confident: false, interval: null });
    expect(gateOn(`< ${within}`, true)).toMatchObject({
      verdict: 'fail',
      confident: true,
      actual: p95Ms,
      interval: { low: intervals?.p95Ms?.lowMs, high: intervals?.p95Ms?.highMs },
    });
    expect(gateOn(`> ${below}`, false)?.verdict).toBe('pass');
    expect(gateOn(`> ${below}`, true)?.verdict).toBe('fail');
  });

  test('passes if the whole interval holds', () => {
    expect(gateOn('< 1h', true)?.verdict).toBe('pass');
    expect(gateOn('> 1ms', true)?.verdict).toBe('pass');
  });

  test('has no data in a run too short for an interval, with the missing amount and time', () => {
    expect(gateOn('< 1h', true, { ...steady, seconds: 20 })).toMatchObject({
      verdict: 'no-data',
      actual: null,
      reason: expect.stringMatching(
        /^p95 has no confidence interval: it needs 2,000 values, has 1,000; .*about 40 s/,
      ) as string,
    });
    expect(gateOn('< 1h', true, { ...steady, seconds: 8, perSecond: 500 })?.reason).toMatch(
      /^p95 has no confidence interval: it needs 12 s, has 8\.00 s; .*about 12 s/,
    );
  });
});

test('a run without intervals to judge by is read as before', () => {
  const { latency } = resultOf(finishedRun());
  expect(latency.turn.intervals === null || latency.turn.intervals.p99Ms === null).toBe(true);
});
