import type { Comparison } from '../../src/compare/document/comparison.ts';
import { changed, familyOf, nothing, ofInformation, point, runsOf } from './synthetic-metrics.ts';

type Side = Comparison['base'];

/** A text that would rule a terminal, a Markdown page or an XML file, if it were let. */
const hostile =
  '\u001b[2J\u202eevil|pipe `tick` **bold** </system-out>]]><img src=x onerror="alert(1)"> & \'q\'\r\n# head @team #12';

const quiet: NonNullable<Comparison['localization']> = {
  shape: 'none',
  summary: 'No part of the turn latency distribution moved beyond noise.',
  quantiles: [point('p50', 204, nothing), point('p99', 1210, [-0.011, -0.042, 0.021])],
  deciles: [point('1st tenth', 250, nothing), point('2nd tenth', 252, nothing)],
  positions: [point('turn 1', 213, nothing), point('turn 2', 202, nothing)],
  errors: [{ class: 'rate_limited', base: 160, head: 155, isNew: false }],
};

/** Two equal releases: every metric of the family is shown to be within its margin. */
export const unchanged: Comparison = {
  kind: 'chat-load/comparison',
  schemaVersion: 1,
  failOnInconclusive: false,
  violatedRuns: 0,
  toolVersion: '0.1.0',
  verdict: 'unchanged',
  summary: 'Unchanged: every deciding metric is shown to be within its margin.',
  scenario: { name: 'peak', hash: 'c1c3b20e97c5f0ea' },
  base: runsOf('v1.4.2', 5, 0),
  head: runsOf('v1.5.0', 5, 5),
  comparability: { isComparable: true, forced: false, refusals: [], warnings: [] },
  broken: [],
  design: {
    unit: 'pair',
    base: 5,
    head: 5,
    history: { sittings: 21, runs: 63, from: '2026-10-28T02:00:00.000Z', to: '2026-11-19T02:50:00.000Z' },
    assumedNoise: null,
    falseDiscoveryRate: 0.05,
  },
  metrics: familyOf({}),
  movers: [],
  localization: quiet,
  confirmation: null,
  warnings: [],
};

const tailMetrics = [
  ...changed(
    familyOf({
      'turn.ok.p99': { is: 'regressed', change: [0.529, 0.441, 0.622], p: 0.00002 },
      'attempt.ok.p99': { is: 'regressed', change: [1.481, 1.302, 1.674], p: 0.000004 },
      'turn.ok.mean': { is: 'unchanged', change: [0.031, 0.012, 0.048], p: 0.006 },
      'sessionCreate.p99': { is: 'inconclusive', change: [0.071, -0.093, 0.265], p: 0.49 },
    }),
    'sessionCreate.p99',
    { runsNeeded: 12, reason: 'too noisy to show whether there is a change beyond the margin' },
  ).map((each) => (each.name === 'turn.ok.mean' ? { ...each, reason: 'changed, but within the margin' } : each)),
  ofInformation({ name: 'turn.ok.p99.9', base: 1710, change: [1.92, 1.5, 2.41], margin: 0.2, p: 0.0001 }, 'regressed'),
  ofInformation(
    {
      name: 'outcomes.provider_rate_limited.share',
      unit: 'share',
      base: 0,
      change: [0.0021, 0.0014, 0.003],
      margin: 0.001,
      p: 0.0004,
    },
    'regressed',
  ),
  ...['1', '2', '3-4', '5-8', '9-16', '17+'].flatMap((position, index) =>
    ['p50', 'p99'].map((quantile) =>
      ofInformation(
        {
          name: `position.${position}.${quantile}`,
          base: 355,
          change: [0.3 - index * 0.02, 0.2 - index * 0.02, 0.4 - index * 0.02],
          margin: 0.1,
          p: 0.003,
        },
        'regressed',
      ),
    ),
  ),
  ofInformation(
    {
      name: 'goodput.share',
      unit: 'share',
      worse: 'lower',
      base: 0.991,
      change: [0.004, 0.001, 0.007],
      margin: 0,
      p: 0.02,
    },
    'improved',
  ),
];

/** The median as it was, the tail half as slow again; one metric is not decided. */
export const regressed: Comparison = {
  ...unchanged,
  verdict: 'regressed',
  summary: 'Regressed: turn.ok.p99 +52.9 %, attempt.ok.p99 +148 %.',
  metrics: tailMetrics,
  movers: tailMetrics.filter(({ pAdjusted }) => (pAdjusted ?? 1) < 0.05).map(({ name }) => name),
  localization: {
    shape: 'tail',
    summary: 'The tail moved and the middle did not: turns are slower from p95 upwards.',
    quantiles: [
      point('p50', 204, nothing),
      point('p75', 281, [0.006, -0.011, 0.023]),
      point('p90', 355, [0.021, -0.004, 0.047]),
      point('p95', 422, [0.182, 0.141, 0.224]),
      point('p99', 1210, [0.529, 0.441, 0.622]),
      point('p99.9', 1710, [1.92, 1.5, 2.41]),
    ],
    deciles: Array.from({ length: 10 }, (_, index) => point(`tenth ${String(index + 1)}`, 251, [0.03, -0.01, 0.07])),
    positions: [
      point('turn 1', 213, nothing),
      point('turn 2', 202, nothing),
      point('turn 3-4', 203, [0.011, -0.02, 0.04]),
      point('turn 5-8', 202, [0.213, 0.17, 0.26]),
    ],
    errors: [
      { class: 'rate_limited', base: 160, head: 171, isNew: false },
      { class: 'provider_rate_limited', base: 0, head: 48, isNew: true },
    ],
  },
  comparability: {
    isComparable: true,
    forced: false,
    refusals: [],
    warnings: [
      {
        key: 'environment.host',
        base: 'lab-1',
        head: 'lab-2',
        message: 'the load came from different machines of the same class',
      },
    ],
  },
  warnings: ['Run 3 of head is noisier than the history of this scenario: the history is left out for turn.ok.p99.'],
};

/** Comparison confirmed by a second set of runs. */
export const confirmed: Comparison = {
  ...regressed,
  confirmation: {
    verdict: 'confirmed',
    metrics: [
      { name: 'turn.ok.p99', isConfirmed: true, change: 0.508, p: 0.00003 },
      { name: 'attempt.ok.p99', isConfirmed: true, change: 1.44, p: 0.00001 },
    ],
  },
};

/** Comparison not confirmed by a second set of runs. */
export const notConfirmed: Comparison = {
  ...regressed,
  verdict: 'inconclusive',
  summary: `${regressed.summary} A second set of runs did not show it again.`,
  confirmation: {
    verdict: 'not_confirmed',
    metrics: [
      { name: 'turn.ok.p99', isConfirmed: false, change: 0.012, p: 0.61 },
      { name: 'attempt.ok.p99', isConfirmed: false, change: 0.031, p: 0.2 },
    ],
  },
};

/** Too much noise for three runs a side. */
export const inconclusive: Comparison = {
  ...unchanged,
  verdict: 'inconclusive',
  summary:
    'Inconclusive: too noisy to tell whether turn.ok.p50, turn.ok.p99 changed: a change of less than 20.8 % (turn.ok.p99) cannot be seen with 3 runs per side; use chat-load ab.',
  base: runsOf('main', 3, 0),
  head: runsOf('fix/slow-tail', 3, 5),
  design: { unit: 'run', base: 3, head: 3, history: null, assumedNoise: null, falseDiscoveryRate: 0.05 },
  metrics: familyOf({
    'turn.ok.p50': { is: 'inconclusive', change: [0.043, -0.021, 0.111], p: 0.3 },
    'turn.ok.p99': { is: 'inconclusive', change: [0.083, -0.105, 0.31], p: 0.41 },
  }).map((each) => {
    const runs = { base: 3, head: 3 };
    switch (each.name) {
      case 'turn.ok.p50':
        return {
          ...each,
          runs,
          runsNeeded: 9,
          reason: 'too noisy to show whether there is a change beyond the margin',
        };
      case 'turn.ok.p99':
        return {
          ...each,
          runs,
          runsNeeded: 31,
          noise: 'within_runs',
          reason: 'too noisy to show whether there is a change beyond the margin',
        };
      case 'sessionCreate.p99':
        return {
          ...each,
          verdict: 'no_data',
          base: null,
          head: null,
          change: null,
          ci95: null,
          ci90: null,
          p: null,
          pAdjusted: null,
          adjustedFor: null,
          pBeyondMargin: null,
          smallestDetectable: null,
          visibleFrom: null,
          noise: null,
          degreesOfFreedom: null,
          priorDegreesOfFreedom: null,
          runs: { base: 0, head: 0 },
          reason: 'base: 10,000 values are needed, but the measured window has 400',
        };
      case 'rates.turnsPerSecond':
        return { ...each, runs, isGated: false, notGatedBecause: 'the rate of an open load is set, not measured' };
      default:
        return { ...each, runs };
    }
  }),
};

/** Runs of different scenarios. */
export const notComparable: Comparison = {
  ...unchanged,
  verdict: 'not_comparable',
  summary:
    'Not comparable: the scenarios send different requests (base c1c3b20e97c5, head 0b7d9caa5f7a), and 2 more differences.',
  comparability: {
    isComparable: false,
    forced: false,
    refusals: [
      {
        key: 'scenario.hash',
        base: 'c1c3b20e97c5f0ea0f3fbb15bf57b16c80b2f5a6a4a1f2a0f77ce6d13c0d9b11',
        head: '0b7d9caa5f7aa7a2d0c58e4ffaf8db0f36cde0b5a7c1a0a2b6dc7a7c61e9f002',
        message: 'the scenarios send different requests',
        remedy: null,
      },
      {
        key: 'plan.options.thinkTime',
        base: '{"law":"lognormal","median":"7.18s","sigma":0.57,"max":"60s"}',
        head: '{"law":"lognormal","median":"7.18s","sigma":0.75,"max":"60s"}',
        message: 'shorter think times are a different load',
        remedy: null,
      },
      {
        key: 'load.concurrency',
        base: '50',
        head: '80',
        message: 'more concurrent sessions are a different load',
        remedy: null,
      },
    ],
    warnings: [],
  },
  metrics: [],
  localization: null,
};

/** Comparison of incomparable runs, forced. */
export const forced: Comparison = {
  ...regressed,
  summary: `Forced, though not comparable (scenario.hash, plan.options.thinkTime, load.concurrency). ${regressed.summary}`,
  comparability: { ...notComparable.comparability, forced: true },
};

const single = (side: Side): Side => ({ ...side, runs: side.runs.slice(0, 1) });

/** Comparison with one run per side: the noise between runs is known only from the history. */
export const oneRun: Comparison = {
  ...regressed,
  summary: `One run per side relies only on the history. ${regressed.summary}`,
  base: single(regressed.base),
  head: single(regressed.head),
  design: { ...regressed.design, unit: 'run', base: 1, head: 1 },
  metrics: regressed.metrics.map((each) => ({ ...each, runs: { base: 1, head: 1 } })),
};

/** Names and values from elsewhere that try to break out. */
export const hostileOne: Comparison = {
  ...forced,
  summary: `${hostile} is slower`,
  scenario: { name: hostile, hash: hostile },
  base: { ...regressed.base, label: `${'b'.repeat(150)}${hostile}` },
  head: { label: hostile, runs: regressed.head.runs.map((run) => ({ ...run, target: hostile, startedAt: hostile })) },
  comparability: {
    isComparable: false,
    forced: true,
    refusals: [{ key: hostile, base: hostile, head: `${hostile}!`, message: hostile.repeat(3), remedy: hostile }],
    warnings: [{ key: 'a', base: '`', head: '``', message: hostile }],
  },
  metrics: regressed.metrics.map((each) =>
    each.isGated ? { ...each, reason: each.reason === null ? null : `${hostile}${'x'.repeat(90)}` } : each,
  ),
  localization: regressed.localization && {
    ...regressed.localization,
    summary: hostile,
    positions: regressed.localization.positions.map((each) => ({ ...each, name: `${each.name}\u001b[31m` })),
  },
  warnings: [hostile, 'w'.repeat(200)],
};

export const comparisons: Readonly<Record<string, Comparison>> = {
  unchanged,
  regressed,
  confirmed,
  notConfirmed,
  inconclusive,
  notComparable,
  forced,
  oneRun,
  hostileOne,
};
