import type { Difference } from '../document/comparison.ts';
import { listFirst } from '../../base/format.ts';
import { mean, scatter, sumOf } from '../../statistics/averages.ts';
import { fieldDifferences, differencesIn, trait, type Trait } from './differences.ts';
import type { Environment } from '../../result/sections/environment.ts';
import type { Result } from '../../result/result.ts';
import { sideNames, type Side, type Sides } from '../document/side.ts';
import { matchRuns } from '../statistics/sample.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { tQuantile } from '../../statistics/student-t.ts';
import { measuredWindow } from '../figures/open-run.ts';

export function caveatsOf(sides: Sides): Difference[] {
  return [
    ...differencesIn(traits, sides),
    ...addressDifferences(sides),
    ...createDifferences(sides),
    ...unknownMachines(sides),
    ...unverified(sides),
    ...apart(sides, calibration),
    ...apart(sides, turns),
    ...drifts(sides),
  ];
}

const traits: readonly Trait[] = [
  trait('scenario.name', 'the scenarios are equal except for their name', ({ scenario }) => scenario.name),
  trait('target.agentId', 'the runs used different agents', ({ target }) => target.agentId),
  ...(['objectiveMs', 'objectiveFirstTokenMs', 'objectiveGapMs'] as const).map((key) =>
    trait(`plan.${key}`, 'goodput was measured against different objectives', ({ scenario: { plan } }) =>
      plan[key] === null ? 'none' : `${String(plan[key])} ms`,
    ),
  ),
  trait(
    'plan.prices',
    'tokens were priced differently: costs are not comparable',
    ({ scenario: { plan } }) => plan.prices && plan.prices.hash.slice(0, 12),
  ),
  trait(
    'environment.host',
    'different machines of one class sent the load',
    ({ environment }) => environment && hostsOf(environment),
  ),
  trait('environment.git.commit', 'the runs were started from different commits', ({ environment }) =>
    environment?.git ? `${environment.git.commit.slice(0, 12)}${environment.git.dirty ? ', changed' : ''}` : null,
  ),
  trait('transport.exchanges', 'the runs used different versions of HTTP', ({ transport }) => versionOf(transport)),
  trait(
    'transport.proxy',
    'the runs used different proxies',
    ({ transport }) => transport && (transport.proxy ?? 'none'),
  ),
  trait(
    'plan.target.tls.resume',
    'TLS sessions were resumed on one side only: connecting takes longer on the other',
    ({ transport, scenario: { plan } }) => (transport?.tls ? (plan.target.tls.resume ? 'resumed' : 'not') : null),
  ),
  trait('plan.target.compression', 'replies were compressed on one side only', ({ scenario: { plan } }) =>
    plan.target.compression ? 'compressed' : 'uncompressed',
  ),
  trait('run.toolVersion', 'the runs were measured by different versions of chat-load', ({ run }) => run.toolVersion),
];

function versionOf(transport: Result['transport']): string | null {
  if (transport === null) return null;
  const { http1, http2 } = transport.exchanges;
  if (http2 === 0) return 'HTTP/1.1';
  return http1 === 0 ? 'HTTP/2' : 'both';
}

const maxHosts = 3;

function hostsOf({ host, workers }: Environment): string {
  const hosts = workers === null ? [host] : workers.map((worker) => worker.host);
  return listFirst([...new Set(hosts)].toSorted(), maxHosts);
}

const address = trait('target.baseUrl', 'the services had different addresses', ({ target }) => target.baseUrl);

/** Interleaved releases have one address each: only several addresses on one side are reported. */
function addressDifferences(sides: Sides): Difference[] {
  const [base = [], head = []] = sideNames.map((name) => sides[name].runs.map(({ result }) => result));
  const isOne = [base, head].every((results) => new Set(results.map(address.of)).size === 1);
  const design = matchRuns(
    base.map(({ run }) => run),
    head.map(({ run }) => run),
  );
  return design.unit === 'pair' && isOne ? [] : differencesIn([address], sides);
}

function createDifferences({ base, head }: Sides): Difference[] {
  const [from, to] = [base, head].map(({ runs }) => runs[0]?.result.scenario.plan.target.createSession);
  return fieldDifferences('plan.target.createSession', from, to).map((each) => ({
    ...each,
    message: `sessions are created in different ways: ${each.message}`,
  }));
}

const unknownMachines = (sides: Sides): Difference[] =>
  lackIn(sides, ({ environment }) => environment === null, {
    key: 'environment',
    message: 'it is unknown whether the machines were of one class',
    words: ['known', 'unknown for'],
  });

/** Reports runs without verified certificates: the identity of their service is unknown. */
const unverified = (sides: Sides): Difference[] =>
  lackIn(sides, ({ transport }) => transport?.tls?.isVerified === false, {
    key: 'transport.tls.isVerified',
    message: 'certificates were not verified (--insecure): these runs may have reached another service',
    words: ['verified', 'not verified in'],
  });

/** A measure with a tolerance: a share of the smaller value. */
export interface SideMeasure {
  key: string;
  message: string;
  max: number;
  of: (result: Result) => number | null;
  show: (value: number) => string;
}

const calibration: SideMeasure = {
  key: 'environment.calibrationMs',
  message: 'the generator’s CPU ran at a different speed: time of the reference loop',
  max: 0.03,
  of: ({ environment }) => environment?.calibrationMs ?? null,
  show: (value) => `${value.toFixed(2)} ms`,
};

const turns: SideMeasure = {
  key: 'turns.finished',
  message: 'the sides have different numbers of turns per run',
  max: 0.02,
  of: ({ latency }) => latency.turn.count,
  show: (value) => String(Math.round(value)),
};

function apart(sides: Sides, { key, message, max, of, show }: SideMeasure): Difference[] {
  const [base = NaN, head = NaN] = sideNames.map((name) => mean(measuresOf(sides[name], of)));
  if (!(Math.abs(head - base) > max * Math.min(base, head))) return [];
  return [{ key, base: show(base), head: show(head), message }];
}

export function measuresOf({ runs }: Side, of: SideMeasure['of']): number[] {
  return runs.flatMap(({ result }) => of(result) ?? []);
}

function lackIn(
  { base, head }: Sides,
  isLacking: (result: Result) => boolean,
  { key, message, words: [none, some] }: { key: string; message: string; words: readonly [string, string] },
): Difference[] {
  const [from = none, to = none] = [base, head].map(({ runs }) => {
    const count = runs.filter(({ result }) => isLacking(result)).length;
    return count === 0 ? none : `${some} ${String(count)} of ${String(runs.length)} runs`;
  });
  return from === none && to === none ? [] : [{ key, base: from, head: to, message }];
}

/** Reports runs whose throughput drifted, so that their figures depend on their length: a leak, a cache, a ramp. */
function drifts(sides: Sides): Difference[] {
  const [base, head] = sideNames.map((name) => sides[name].runs.flatMap(({ result }) => driftOf(result) ?? []));
  if (base === undefined || head === undefined || base.length + head.length === 0) return [];
  const message = 'the throughput of a run changed from its first to its last third: add a warm-up, or look for a leak';
  return [{ key: 'rates.turnsPerSecond', base: driftText(base), head: driftText(head), message }];
}

const driftText = (changes: readonly number[]): string =>
  changes.length === 0
    ? 'steady'
    : changes.map((change) => `${change < 0 ? '−' : '+'}${(Math.abs(change) * 100).toFixed(1)} %`).join(' / ');

/** Batches in a third of a run: as many as its intervals allow, since neighbouring intervals are similar. */
const maxInThird = 10;
const minInThird = 3;
const intervalsInBatch = 4;
/** Confidence of three standard errors under a normal distribution: one false report in 370 runs. */
const confidence = 0.99865;
/** Minimum drift: one below the margin of throughput does not explain a change beyond it. */
const minChange = 0.03;

/**
 * Returns the relative change in throughput from the first third of a run to its last; `null` if it is within its noise or
 * below 3 %, and for runs limited by a number of sessions, which start and end with fewer concurrent ones by nature.
 */
export function driftOf(result: Result): number | null {
  const window = measuredWindow(result);
  const inThird = Math.min(maxInThird, Math.max(minInThird, Math.floor(window.length / intervalsInBatch / 3)));
  if (result.scenario.plan.sessions !== null || window.length < 3 * inThird) return null;
  const rates = ratesOf(window, 3 * inThird);
  const [first, last] = [rates.slice(0, inThird), rates.slice(-inThird)];
  const change = mean(last) - mean(first);
  const degrees = 2 * (inThird - 1);
  const error = Math.sqrt(((scatter(first) + scatter(last)) / degrees) * (2 / inThird));
  if (Math.abs(change) <= tQuantile(confidence, degrees) * error) return null;
  return Math.abs(change) < minChange * mean(first) ? null : change / mean(first);
}

const ratesOf = (window: readonly Interval[], batches: number): number[] =>
  Array.from({ length: batches }, (_, batch) => {
    const edgeOf = (each: number): number => Math.round((each * window.length) / batches);
    const part = window.slice(edgeOf(batch), edgeOf(batch + 1));
    return sumOf(part.map(({ turns }) => turns.ok + turns.failed)) / sumOf(part.map(({ lengthMs }) => lengthMs));
  });
