import { positions } from '../../record/series.ts';
import { finishedClassNames } from '../../protocol/outcome.ts';
import type { MetricRule, MetricSource } from './metric-rule.ts';

/** The metrics that can fail a comparison. No more than these: with each one more, all become harder to see. */
export const gateFamily: readonly string[] = [
  'turn.ok.p50',
  'turn.ok.p99',
  'turn.ok.mean',
  'turns.failedShare',
  'sessions.createFailedShare',
  'turns.unansweredShare',
  'attempt.ok.p99',
  'sessionCreate.p50',
  'sessionCreate.p95',
  'sessionCreate.mean',
  'rates.turnsPerSecond',
  'retries.amplification',
];

/**
 * Least changes that matter. Below about twice the noise between runs a margin costs more runs than most can spend, so
 * the further out in the tail, the wider.
 */
const quantiles = [
  { name: 'p50', quantile: 0.5, margin: 0.05 },
  { name: 'p90', quantile: 0.9, margin: 0.05 },
  { name: 'p95', quantile: 0.95, margin: 0.07 },
  { name: 'p99', quantile: 0.99, margin: 0.1 },
  { name: 'p99.9', quantile: 0.999, margin: 0.2 },
] as const;
const margins = {
  mean: 0.05,
  rate: 0.03,
  amplification: 0.02,
  /** A tenth of a percentage point. */
  failures: 0.001,
  /** Moves with latency, around the objective: half a percentage point. */
  goodput: 0.005,
  /** A reply in the wrong conversation is worse than one that fails: one in ten thousand matters. */
  integrity: 0.0001,
};

const words = {
  'turn.ok': 'latency of ok turns',
  'effective.ok': 'latency of ok turns from the due instant',
  'attempt.ok': 'latency of ok attempts',
  sessionCreate: 'time to create a session',
};

const all: readonly MetricRule[] = [
  ...(['turn.ok', 'effective.ok', 'attempt.ok'] as const).flatMap((series) => [
    ...quantiles.map(({ name }) => quantileRule(series, name, words[series])),
    meanRule(series),
  ]),
  // Sessions are fewer than turns: what takes 200 of them, or any number, decides, and p99 is for information.
  ...(['p50', 'p95', 'p99'] as const).map((name) => quantileRule('sessionCreate', name, words.sessionCreate)),
  meanRule('sessionCreate'),
  ...positions.flatMap((position) =>
    (['p50', 'p99'] as const).map((name) =>
      quantileRule(`position.${position}`, name, `latency of turns at position ${position}`),
    ),
  ),
  failedShare('turns.failedShare', 'failed turns of ok and failed ones', {
    ...{ of: 'turns.failed', among: 'turns.finished' },
  }),
  failedShare('sessions.createFailedShare', 'creations that failed for good, of those that ended by themselves', {
    ...{ of: 'sessions.createFailed', among: 'sessions.createEnded' },
  }),
  failedShare('turns.unansweredShare', 'turns without an answer when the run ended, of these and the finished ones', {
    ...{ of: 'turns.unanswered', among: 'turns.finishedOrNot' },
  }),
  failedShare('attempts.failedShare', 'attempts that were not ok, of all that ended by themselves', {
    ...{ of: 'attempts.failed', among: 'attempts.finished' },
  }),
  ...finishedClassNames
    .filter((name) => name !== 'ok')
    .map((name) =>
      failedShare(`outcomes.${name}.share`, `attempts of class ${name}, of all that ended by themselves`, {
        ...{ of: `attempts.${name}`, among: 'attempts.finished' },
      }),
    ),
  rule('retries.amplification', 'ratio', {
    ...{ meaning: 'attempts a turn sent', worse: 'higher', margin: margins.amplification },
    source: { kind: 'ratio', of: 'attempts.sent', per: 'turns.sent' },
  }),
  rule('goodput.share', 'share', {
    ...{ meaning: 'good turns of ok and failed ones', worse: 'lower', margin: margins.goodput },
    source: { kind: 'share', of: 'turns.good', among: 'turns.finished', rare: 'rest' },
  }),
  rateRule('rates.turnsPerSecond', 'ok and failed turns', 'turns.finished'),
  rateRule('rates.goodputPerSecond', 'good turns', 'turns.good'),
  rule('integrity.failed', 'share', {
    ...{ meaning: 'replies that broke a check of the integrity guard, of those it looked at' },
    ...{ worse: 'higher', margin: margins.integrity },
    source: { kind: 'share', of: 'integrity.failed', among: 'integrity.replies' },
  }),
];

/**
 * Everything that releases are compared by, the gate family first, in its order. Latency percentiles are of what ended
 * ok, since failing fast is no improvement; those by position hold failed turns too, as they are published.
 */
export const metricRules: readonly MetricRule[] = [
  ...gateFamily.flatMap((name) => all.filter((each) => each.name === name)),
  ...all.filter((each) => !each.isGated),
];

function rule(
  name: string,
  unit: MetricRule['unit'],
  rest: Pick<MetricRule, 'meaning' | 'worse' | 'margin' | 'source'>,
): MetricRule {
  return { name, unit, ...rest, isGated: gateFamily.includes(name) };
}

function quantileRule(series: string, name: (typeof quantiles)[number]['name'], meaning: string): MetricRule {
  const { quantile, margin } = quantiles.find((each) => each.name === name) ?? quantiles[0];
  const source: MetricSource = { kind: 'quantile', series, quantile };
  return rule(`${series}.${name}`, 'ms', { meaning: `${name} of ${meaning}`, worse: 'higher', margin, source });
}

function meanRule(series: keyof typeof words): MetricRule {
  return rule(`${series}.mean`, 'ms', {
    ...{ meaning: `mean ${words[series]}`, worse: 'higher', margin: margins.mean },
    source: { kind: 'mean', series },
  });
}

function failedShare(name: string, meaning: string, source: { of: string; among: string }): MetricRule {
  return rule(name, 'share', {
    meaning,
    worse: 'higher',
    margin: margins.failures,
    source: { kind: 'share', ...source },
  });
}

function rateRule(name: string, meaning: string, of: string): MetricRule {
  return rule(name, 'perSecond', { meaning, worse: 'lower', margin: margins.rate, source: { kind: 'rate', of } });
}
