import { createHash } from 'node:crypto';
import { keyOf, randomOf } from '../../src/base/random.ts';
import type { Arrivals } from '../../src/plan/plan.ts';
import { ms } from '../../src/base/time.ts';
import { arrivalOffsets, ownArrivals } from '../../src/schedule/arrivals.ts';
import type { Finding } from '../finding.ts';
import { observe, type Observed } from '../truth/observe.ts';

const turns = 10_000;
const seed = 1;
const poisson: Arrivals = { kind: 'gamma', burstiness: 1 };

/** Runs Lancet's tests of an open-loop generator (epfl-dcsl/lancet, stats.py), on the instants at which requests arrived. */
export async function measureSentInstants(report: (text: string) => void): Promise<Finding[]> {
  const runs = [
    { rate: 250, flags: [] },
    { rate: 500, flags: [] },
    { rate: 1000, flags: [] },
    { rate: 500, flags: ['--cores', '2'] },
  ];
  const findings: Finding[] = [];
  for (const { rate, flags } of runs) {
    const name = `Lancet, ${String(rate)} turns/s${flags.length === 0 ? '' : `, ${flags.join(' ')}`}`;
    const observed = await observe({ kind: 'lognormal', medianMs: 20, sigma: 0.4 }, scenarioOf(rate), flags);
    report(name);
    findings.push(...judge(name, observed, rate));
  }
  return findings;
}

const scenarioOf = (rate: number): string =>
  `{ name: 'lancet', messages: ['Hi'], turns: 1, sessions: ${String(turns)}, seed: ${String(seed)}, retry: 'none', integrity: false,
     target: { protocol: 'openai-chat' }, load: { sessionsPerSecond: ${String(rate)}, arrivals: 'poisson' } }`;

function judge(name: string, { account, result }: Observed, rate: number): Finding[] {
  const arrived = account.messages.map(({ at }) => at).sort((a, b) => a - b);
  const latencies = account.messages.map(({ at, repliedAt }) => repliedAt - at);
  const outside = outsideOrderInterval(latencies, result);
  return [
    { what: `${name}: turns that arrived`, value: arrived.length, atLeast: turns, atMost: turns },
    // Twice the critical value at 1 % for an exponential distribution of unknown mean, as in Lancet.
    { what: `${name}: A² of the times between arrivals`, value: andersonDarling(gapsOf(arrived)), atMost: 2 * 1.957 },
    // p > 1e-10.
    {
      what: `${name}: |z| of Spearman's rho of consecutive latencies`,
      value: Math.abs(spearman(latencies)),
      atMost: 6.467,
    },
    {
      what: `${name}: percentiles outside the order-statistic interval of the target's own`,
      value: outside,
      atMost: 0,
    },
    {
      what: `${name}: maximum arrivals per second over the planned maximum`,
      value: maxWithin(arrived, 1000) - maxWithin(plannedInstants(rate), 1000),
      // Allowance for requests that are late by up to 10 ms, and so arrive in the next window.
      atMost: Math.ceil(rate / 100),
    },
  ];
}

const gapsOf = (instants: readonly number[]): number[] =>
  instants.slice(1).map((at, index) => at - (instants[index] ?? at));

/** Returns the Anderson-Darling statistic against an exponential distribution with the sample's mean, with Stephens' correction. */
function andersonDarling(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sorted = values.map((value) => Math.max(value, 1e-9) / mean).sort((a, b) => a - b);
  const count = sorted.length;
  const sum = sorted.reduce((total, value, at) => {
    const below = Math.log(-Math.expm1(-value));
    const above = -(sorted[count - 1 - at] ?? 0);
    return total + (2 * at + 1) * (below + above);
  }, 0);
  return (-count - sum / count) * (1 + 0.6 / count);
}

/** Returns the standardized rank correlation of each value with the next. */
function spearman(values: readonly number[]): number {
  const [one, next] = [ranksOf(values.slice(0, -1)), ranksOf(values.slice(1))];
  const count = one.length;
  const middle = (count + 1) / 2;
  const sum = (of: (at: number) => number): number => one.reduce((total, _, at) => total + of(at), 0);
  const covariance = sum((at) => ((one[at] ?? 0) - middle) * ((next[at] ?? 0) - middle));
  const variance = sum((at) => ((one[at] ?? 0) - middle) ** 2);
  return (covariance / variance) * Math.sqrt(count - 1);
}

function ranksOf(values: readonly number[]): number[] {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length).fill(0);
  order.forEach(({ at }, rank) => (ranks[at] = rank + 1));
  return ranks;
}

/** Counts published percentiles outside the 95 % order-statistic interval, widened by the difference between the two clocks. */
function outsideOrderInterval(latencies: readonly number[], { latency: { attempt } }: Observed['result']): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  const apartMs = 3;
  const isOutside = ([share, published]: readonly [number, number | null]): boolean => {
    const half = 1.96 * Math.sqrt(sorted.length * share * (1 - share));
    const low = sorted[Math.max(0, Math.floor(sorted.length * share - half) - 1)] ?? 0;
    const high = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share + half))] ?? 0;
    return published === null || published < low - apartMs || published > high + apartMs;
  };
  const published = [
    [0.5, attempt.p50Ms],
    [0.95, attempt.p95Ms],
    [0.99, attempt.p99Ms],
  ] as const;
  return published.filter(isOutside).length;
}

/** Returns the planned instants of the run, in milliseconds since its start. */
function plannedInstants(rate: number, count = turns): number[] {
  const segments = [{ startMs: ms(0), endMs: null, from: rate, to: rate }];
  const offsets = arrivalOffsets({ segments, arrivals: poisson }, randomOf(seed, keyOf('arrivals')));
  return Array.from({ length: count }, () => Number(offsets.next().value));
}

function maxWithin(instants: readonly number[], lengthMs: number): number {
  let max = 0;
  let from = 0;
  instants.forEach((at, index) => {
    while (at - (instants[from] ?? at) >= lengthMs) from++;
    max = Math.max(max, index - from + 1);
  });
  return max;
}

/** Compares 5,000 planned arrivals of one process with the arrivals of four together, byte for byte (AIPerf#850). */
export function compareSchedules(): Finding[] {
  const planned = plannedInstants(100, 5000);
  const dealt = [0, 1, 2, 3].flatMap((index) => [
    ...ownArrivals(
      planned.map((at) => ms(at)),
      { index, count: 4 },
    ),
  ]);
  const together = dealt.toSorted((a, b) => a.number - b.number).map(({ offset }) => Number(offset));
  const digest = (instants: readonly number[]): string =>
    createHash('sha256').update(new Float64Array(instants)).digest('hex');
  const isSame = digest(planned) === digest(together) && digest(planned) === digest(plannedInstants(100, 5000));
  return [{ what: 'AIPerf#850: 5,000 arrivals that differ between 1 and 4 shards', value: isSame ? 0 : 1, atMost: 0 }];
}
