import { nanosPerUnit } from '../../plan/prices.ts';
import { failedTurns, sumCounters, type Counters } from '../../record/counters.ts';
import { maxUnknownShare, spendingOf, unknownText, type Tokens } from '../sections/cost.ts';
import { unattributedText } from '../sections/model.ts';
import { followCost } from './drift-series.ts';
import { compareQuotient, type Metric, type Published, type Reading } from './metric.ts';
import type { MetricPart } from './metric-part.ts';

/** Metrics of reported tokens and of costs: `tokens.cachedShare`, `cost.perOkTurn`, ... */
export const usageMetrics: readonly Metric[] = [
  {
    ...ofTokens('cachedShare', 'share of the input tokens read from a cache', ({ cachedShare }) => cachedShare),
    unit: 'share',
    worse: 'lower',
    comparison: { source: { kind: 'share', of: 'tokens.cached', among: 'tokens.cacheable' }, margin: 0.01 },
  },
  {
    ...ofTokens('inputPerTurn', 'reported input tokens per turn sent', ({ input }) => input.perTurn),
    comparison: compareQuotient('tokens.input', 'turns.sent'),
  },
  {
    ...ofTokens('outputPerTurn', 'reported output tokens per turn sent', ({ output }) => output.perTurn),
    comparison: compareQuotient('tokens.output', 'turns.sent'),
  },
  costOf('total', 'known cost of all attempts of turns'),
  {
    ...costOf('perTurn', 'cost per turn sent'),
    comparison: compareQuotient('cost.nanos', 'turns.sent', nanosPerUnit),
    drift: followCost,
    part: costPart(({ turns }) => turns.ok + failedTurns(turns)),
  },
  {
    ...costOf('perOkTurn', 'cost of all attempts per ok turn'),
    comparison: compareQuotient('cost.nanos', 'turns.ok', nanosPerUnit),
    part: costPart(({ turns }) => turns.ok),
  },
  costOf('perSession', 'mean cost of the sessions that completed or failed'),
  {
    ...costOf('perGoodTurn', 'cost of all attempts per good turn; only with an objective'),
    part: costPart(({ turnFlow }) => turnFlow.good),
  },
  costOf('wasted', 'known cost of the attempts that were not ok'),
  costOf('orphaned', 'known cost of orphaned model calls; only with a model service'),
  costOf('repeated', 'known cost of repeated model calls; only with a model service'),
  costOf('afterReply', 'known cost of model calls after an ok reply; only with a model service'),
  { ...costOf('wastedShare', 'share of the cost of attempts that were not ok'), unit: 'share' },
  {
    ...costOf('unknownShare', 'share of the attempts whose cost is not known, among the attempts sent'),
    unit: 'share',
    read: ({ cost }) => (cost === null ? noCosts : readingOf(cost.unknownShare)),
  },
];

const noCosts: Reading = { value: null, reason: 'the scenario has neither cost nor prices' };

const readingOf = (value: number | null): Reading => (value === null ? { value, reason: 'no samples' } : { value });

type CostName =
  | 'total'
  | 'perTurn'
  | 'perOkTurn'
  | 'perSession'
  | 'perGoodTurn'
  | 'wasted'
  | 'wastedShare'
  | 'unknownShare'
  | 'orphaned'
  | 'repeated'
  | 'afterReply';

function costOf(name: CostName, meaning: string): Metric {
  return { name: `cost.${name}`, unit: 'cost', worse: 'higher', meaning, read: (result) => readCost(result, name) };
}

/** Costs that with a model service need the attempts of its calls. */
const costsOfAttempts: ReadonlySet<CostName> = new Set(['wasted', 'wastedShare', 'orphaned', 'repeated', 'afterReply']);

function readCost({ cost, model }: Published, name: CostName): Reading {
  if (cost === null) return noCosts;
  const isOfAttempts = cost.source === 'model' && costsOfAttempts.has(name);
  const reason = unknownText(cost) ?? (isOfAttempts ? unattributedText(model) : undefined);
  return reason === undefined ? readingOf(cost[name] ?? null) : { value: null, reason };
}

function ofTokens(name: string, meaning: string, valueOf: (tokens: Tokens) => number | null): Metric {
  return {
    name: `tokens.${name}`,
    unit: 'count',
    worse: 'higher',
    meaning,
    read: ({ tokens }: Published) => {
      const value = valueOf(tokens);
      return value === null ? { value, reason: 'no reply reported it' } : { value };
    },
  };
}

/** Reads a cost per event during the run; nothing while too many costs are unknown. */
function costPart(eventsIn: (counters: Counters) => number): MetricPart {
  return {
    kind: 'mean',
    limitOf: (limit) => limit,
    figureOf: (mean) => mean,
    read: ({ counters }) => {
      const sums = sumCounters([counters]);
      const { costNanos, unknown, among } = spendingOf(sums);
      if (unknown > among * maxUnknownShare) return { part: 0, whole: 0 };
      return { part: costNanos / nanosPerUnit, whole: eventsIn(sums) };
    },
  };
}
