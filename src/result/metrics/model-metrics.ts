import { total, weightedTotal } from '../../record/counters.ts';
import { prefixSources } from '../../record/model-counters.ts';
import { positions } from '../../record/positions.ts';
import type { Model } from '../sections/model.ts';
import { ofAttributedCalls } from './attributed-calls.ts';
import { compareFailures, compareQuotient, type Metric } from './metric.ts';
import { countPart, excessPart, meanOfPart, sharePart } from './metric-part.ts';

const prefixTexts = {
  sameTurn: 'the same turn',
  earlierTurn: 'an earlier turn',
  otherSession: 'another session',
} as const;

const figures: readonly Metric[] = [
  figure('calls', 'count', 'higher', 'model calls', ({ calls }) => calls.total, {
    part: countPart(({ modelCalls }) => [modelCalls.calls, modelCalls.calls]),
  }),
  figure(
    'attributedShare',
    'share',
    'lower',
    'share of model calls that belong to a known attempt',
    (model) => model.attributedShare,
    {
      part: sharePart(({ modelCalls: { calls, unattributed } }) => [calls - unattributed, calls]),
      comparison: {
        source: { kind: 'share', of: 'model.attributed', among: 'model.calls', rare: 'rest' },
        margin: 0.01,
      },
    },
  ),
  figure(
    'callsPerTurn',
    'count',
    'higher',
    'mean number of model calls per ok turn, in all its attempts',
    ({ callsPerTurn }) => callsPerTurn.mean,
    {
      part: meanOfPart(({ modelCallsPerTurn }) => [weightedTotal(modelCallsPerTurn), total(modelCallsPerTurn)]),
      comparison: compareQuotient('model.turnCalls', 'model.turns'),
    },
  ),
  ...(['p50', 'p95', 'max'] as const).map((name) =>
    figure(
      `callsPerTurn.${name}`,
      'count',
      'higher',
      `${name === 'max' ? 'maximum' : name} of model calls per ok turn`,
      ({ callsPerTurn }) => callsPerTurn[name],
    ),
  ),
  figure(
    'amplification',
    'ratio',
    'higher',
    'model calls of ok turns per call without repeats of the attempts that ended them',
    (model) => model.amplification,
    {
      part: excessPart(({ modelCalls: { okTurnCalls, neededCalls } }) => [okTurnCalls - neededCalls, neededCalls]),
      comparison: { source: { kind: 'ratio', of: 'model.turnCalls', per: 'model.neededCalls' }, margin: 0.02 },
    },
  ),
  figure(
    'noCall',
    'count',
    null,
    'attempts without a model call before their end',
    ({ noCall, attempts }) => counted(noCall, noCall + attempts),
    {
      part: countPart(({ modelAttempts: { noCall, withCalls } }) => [noCall, noCall + withCalls]),
    },
  ),
  figure(
    'parallel',
    'count',
    null,
    'mean of the maximum number of open model calls per attempt',
    ({ parallel }) => parallel.mean,
  ),
  callCount('repeats', 'model calls that repeat a failed call of the same attempt'),
  callCount('duplicates', 'other model calls that equal an earlier call of the same attempt'),
  callCount('orphaned', 'model calls that went on after the user had left'),
  figure('orphanedMs', 'ms', 'higher', 'total time of model calls after the user had left', ({ orphaned, calls }) =>
    counted(orphaned.ms, calls.total),
  ),
  figure(
    'orphanedTokens',
    'count',
    'higher',
    'output tokens of model calls after the user had left',
    ({ orphaned, calls }) => counted(orphaned.tokens, calls.total),
  ),
  callCount('afterReply', 'model calls that went on after an ok reply'),
  figure(
    'delivered',
    'share',
    'lower',
    'share of ok turns whose reply contained the word of their last model call; only with model.delivered',
    ({ delivered }) => delivered.share,
    {
      part: sharePart(({ modelCalls }) => [modelCalls.answersDelivered, modelCalls.answersChecked]),
      comparison: {
        source: { kind: 'share', of: 'model.delivered', among: 'model.checked', rare: 'rest' },
        margin: 0.001,
      },
    },
  ),
  figure(
    'cacheable',
    'share',
    'lower',
    'share of the input of model calls that an earlier call had as its prefix',
    ({ cacheable }) =>
      cacheable.sameTurn === null
        ? null
        : cacheable.sameTurn + (cacheable.earlierTurn ?? 0) + (cacheable.otherSession ?? 0),
  ),
  ...prefixSources.map((name) =>
    figure(
      `cacheable.${name}`,
      'share',
      null,
      `share of the input of model calls that a call of ${prefixTexts[name]} had as its prefix`,
      ({ cacheable }) => cacheable[name],
    ),
  ),
  figure(
    'cachedShare',
    'share',
    'lower',
    'share of the input tokens of model calls read from a cache',
    ({ tokens }) => tokens.cachedShare,
  ),
  figure(
    'connections',
    'ratio',
    'higher',
    'connections to the model service per 1,000 model calls',
    ({ connections }) => connections.per1000Calls,
  ),
  ...positions.flatMap((position) => [
    atPosition(position, 'callsPerTurn', 'model calls', 'higher'),
    atPosition(position, 'inputPerTurn', 'input tokens of model calls', 'higher'),
    atPosition(position, 'outputPerTurn', 'output tokens of model calls', 'higher'),
  ]),
];

/** Figures of all calls, whether attributed or not. */
const ofAllCalls: ReadonlySet<string> = new Set(
  ['calls', 'attributedShare', 'cacheable', 'cachedShare', 'connections'].map((name) => `model.${name}`),
);

/** Metrics of the model calls behind the agent, besides those of their series: `model.callsPerTurn`, `model.orphaned`, ... */
export const modelMetrics: readonly Metric[] = figures.map((metric) =>
  ofAllCalls.has(metric.name) ? metric : ofAttributedCalls(metric),
);

type More = Partial<Pick<Metric, 'comparison' | 'part'>>;

function figure(
  name: string,
  unit: Metric['unit'],
  worse: Metric['worse'],
  meaning: string,
  valueOf: (model: Model) => number | null,
  more: More = {},
): Metric {
  return {
    name: `model.${name}`,
    unit,
    worse,
    meaning,
    ...more,
    read: ({ model }) => {
      if (model === null) return { value: null, reason: 'the scenario has no model service: set model' };
      const value = valueOf(model);
      return value === null ? { value, reason: 'no samples' } : { value };
    },
  };
}

/** Builds the count of some calls, compared as a share of all calls: one in a thousand is relevant. */
function callCount(name: 'repeats' | 'duplicates' | 'orphaned' | 'afterReply', meaning: string): Metric {
  return figure(name, 'count', 'higher', meaning, (model) => counted(callsIn(model[name]), model.calls.total), {
    part: countPart(({ modelCalls }) => [modelCalls[name], modelCalls.calls]),
    comparison: compareFailures(`model.${name}`, 'model.calls'),
  });
}

const callsIn = (figures: number | { calls: number }): number =>
  typeof figures === 'number' ? figures : figures.calls;

function atPosition(
  position: (typeof positions)[number],
  name: 'callsPerTurn' | 'inputPerTurn' | 'outputPerTurn',
  what: string,
  worse: Metric['worse'],
): Metric {
  return figure(
    `position.${position}.${name}`,
    'count',
    worse,
    `${what} per ok turn at position ${position}`,
    (model) => model.positions.find((each) => each.position === position)?.[name] ?? null,
  );
}

/** Returns a count; `null` if there was nothing to count. */
const counted = (value: number, among: number): number | null => (among > 0 ? value : null);
