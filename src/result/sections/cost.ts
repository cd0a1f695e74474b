import { z } from 'zod';
import {
  amountOrNull,
  count,
  flag,
  listOf,
  share,
  shareOf,
  sparseCountsBy,
  text,
  textOrNull,
} from '../../base/field.ts';
import { countOf, formatShare } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import { nanosPerUnit } from '../../plan/prices.ts';
import { attemptClassNames } from '../../protocol/outcome.ts';
import { total, type Counters } from '../../record/counters.ts';
import type { TokenPart } from '../../record/counter-table.ts';
import { positions } from '../../record/positions.ts';

const tokenPart = (meaning: string) =>
  z
    .object({
      tokens: z.int().min(0).nullable().describe('Sum over the replies that reported them (count; null if none did)'),
      perTurn: amountOrNull('Mean per turn sent'),
      reportedShare: share('Replies that reported them, as a share of all replies'),
    })
    .describe(meaning);

export const tokensSchema = z.object({
  replies: count('Ok attempts of turns, and other attempts whose reply reported usage'),
  input: tokenPart('Input tokens, including those of caches'),
  cachedInput: tokenPart('Input tokens read from a cache'),
  cacheWrite: tokenPart('Input tokens written to a cache'),
  cacheWrite1h: tokenPart('Input tokens written to a cache for an hour'),
  output: tokenPart('Output tokens, including reasoning'),
  reasoning: tokenPart('Output tokens of reasoning'),
  cacheableTokens: count('Input tokens of the replies that report tokens read from a cache'),
  cachedShare: share('Input tokens read from a cache, as a share of `cacheableTokens`'),
  positions: listOf(
    z.object({
      position: z.enum(positions).describe('Number of the turn in its session, or a range of numbers'),
      inputTokens: count('Input tokens'),
      outputTokens: count('Output tokens'),
      cachedInputTokens: count('Input tokens read from a cache'),
      cachedShare: share('Input tokens read from a cache, as a share of the input of the replies that report them'),
    }),
    positions.length,
  ).describe('Tokens by the position of the turn in its session'),
});
export type Tokens = z.infer<typeof tokensSchema>;

export function buildTokens({ tokens, history, turnFlow }: Counters): Tokens {
  const partOf = (name: TokenPart): Tokens['input'] => {
    const reported = tokens[`${name}.reported`];
    const sum = reported === 0 ? null : tokens[`${name}.tokens`];
    return {
      tokens: sum,
      perTurn: sum === null ? null : shareOf(sum, turnFlow.sent),
      reportedShare: shareOf(reported, tokens.replies),
    };
  };
  return {
    replies: tokens.replies,
    input: partOf('input'),
    cachedInput: partOf('cachedInput'),
    cacheWrite: partOf('cacheWrite'),
    cacheWrite1h: partOf('cacheWrite1h'),
    output: partOf('output'),
    reasoning: partOf('reasoning'),
    cacheableTokens: tokens.cacheable,
    cachedShare: cachedShareOf(tokens['cachedInput.tokens'], tokens.cacheable),
    positions: positions.map((position) => ({
      position,
      inputTokens: history[`${position}.inputTokens`],
      outputTokens: history[`${position}.outputTokens`],
      cachedInputTokens: history[`${position}.cachedTokens`],
      cachedShare: cachedShareOf(history[`${position}.cachedTokens`], history[`${position}.cacheableTokens`]),
    })),
  };
}

/** Returns the share of cached input, at most 1: a service may report more cached tokens than input. */
export function cachedShareOf(cached: number, input: number): number | null {
  return shareOf(Math.min(cached, input), input);
}

/** Share of attempts with an unknown cost above which costs are lower bounds. */
export const maxUnknownShare = 0.01;

const named = (meaning: string) =>
  listOf(z.object({ name: text('Name'), replies: count('Number of replies') }), 1000).describe(meaning);

const lateCost = (meaning: string) => amountOrNull(`${meaning} (currency; only with source \`model\`)`).optional();

export const costSchema = z.object({
  source: z
    .enum(['service', 'reply', 'model'])
    .describe('`service`: the function cost; `reply`: reported tokens and prices; `model`: model calls and prices'),
  currency: textOrNull('Currency of the prices; null for the function cost'),
  asOf: textOrNull('Date of the prices; null if they have none'),
  total: amountOrNull(
    'Known cost of all attempts of turns; with source `model`, of all model calls (currency; null if no cost is known)',
  ),
  perTurn: amountOrNull('Total per turn sent (currency)'),
  perOkTurn: amountOrNull('Total per ok turn (currency)'),
  perSession: amountOrNull(
    'Mean cost of the sessions that completed or failed; with source `model`, total per such session (currency)',
  ),
  perGoodTurn: amountOrNull('Total per good turn (currency; null without an objective)'),
  wasted: amountOrNull('Known cost of the attempts that were not ok (currency)'),
  wastedShare: share('Wasted cost as a share of the total'),
  unknownAttempts: z
    .object({ total: count('Attempts'), byClass: sparseCountsBy(attemptClassNames, 'Attempts by class') })
    .describe(
      'Attempts without a known cost: no usage or only a part of it was reported, or the model has no price; with source `model`, model calls',
    ),
  unknownShare: share('Attempts of unknown cost as a share of the attempts sent; with source `model`, of model calls'),
  isAtLeast: flag('True above 1 % of unknown attempts: costs are lower bounds, and gates on them have no data'),
  unknownModels: named('Models without a price, and their replies'),
  substitutedPrices: named(
    'Models without a price whose replies were priced as the requested model, and these replies',
  ).default([]),
  orphaned: lateCost('Known cost of orphaned model calls'),
  repeated: lateCost('Known cost of repeated model calls'),
  afterReply: lateCost('Known cost of model calls after an ok reply'),
  fallbackPrices: named('Parts priced as other input for lack of a price, as `model: part`, and their replies'),
});
export type Cost = z.infer<typeof costSchema>;

/** Builds the cost of the attempts; `null` if it is not computed. */
export function buildCost(
  counters: Counters,
  plan: Pick<Plan, 'cost' | 'prices' | 'objectiveMs' | 'objectiveFirstTokenMs' | 'objectiveGapMs'>,
): Cost | null {
  const { cost, objectiveMs, objectiveFirstTokenMs, objectiveGapMs } = plan;
  if (cost === null && plan.prices === null) return null;
  const prices = cost === null ? plan.prices : null;
  const { turns, turnFlow, modelSpending } = counters;
  const spent = spendingOf(counters, plan);
  const { source, costNanos, wastedNanos, unknown, among, sessions } = spent;
  const isKnown = costNanos > 0 || unknown < among;
  const per = (nanos: number, count: number): number | null =>
    isKnown && count > 0 ? nanos / (count * nanosPerUnit) : null;
  const hasObjective = (objectiveMs ?? objectiveFirstTokenMs ?? objectiveGapMs) !== null;
  return {
    source,
    currency: prices?.currency ?? null,
    asOf: prices?.asOf ?? null,
    total: per(costNanos, 1),
    perTurn: per(costNanos, turnFlow.sent),
    perOkTurn: per(costNanos, turns.ok),
    perSession: per(sessions.costNanos, sessions.count),
    perGoodTurn: hasObjective ? per(costNanos, turnFlow.good) : null,
    wasted: per(wastedNanos, 1),
    wastedShare: shareOf(wastedNanos, costNanos),
    unknownAttempts: { total: unknown, byClass: spent.unknownByClass },
    unknownShare: shareOf(unknown, among),
    isAtLeast: unknown > among * maxUnknownShare,
    unknownModels: namedCounts(source === 'model' ? counters.modelUnpriced : counters.unpricedModels),
    substitutedPrices: namedCounts(source === 'model' ? counters.modelSubstituted : counters.substitutedPrices),
    ...(source === 'model' && {
      orphaned: per(modelSpending.orphanedNanos, 1),
      repeated: per(modelSpending.repeatedNanos, 1),
      afterReply: per(modelSpending.afterReplyNanos, 1),
    }),
    fallbackPrices: source === 'model' ? [] : namedCounts(counters.fallbackPrices),
  };
}

/** Explains why a cost is not evidence about a limit: it is only a lower bound. `undefined` for a known cost. */
export function unknownText(cost: Cost | null): string | undefined {
  if (cost?.isAtLeast !== true) return undefined;
  const events = cost.source === 'model' ? 'model calls' : 'attempts';
  return `the cost of ${formatShare(cost.unknownShare ?? 1)} of the ${events} is not known, at most ${formatShare(maxUnknownShare)} may be`;
}

interface Spending {
  source: Cost['source'];
  costNanos: number;
  wastedNanos: number;
  /** Attempts or model calls of unknown cost, and all that could have a cost. */
  unknown: number;
  among: number;
  unknownByClass: Cost['unknownAttempts']['byClass'];
  sessions: { costNanos: number; count: number };
}

/** Returns the spending by one source, never by two: the function cost, else priced model calls, else the replies. */
export function spendingOf(counters: Counters, { cost }: { cost: object | null } = { cost: null }): Spending {
  const { spending, unknownCosts, attempts, sessions, sessionSums, modelSpending, modelCalls } = counters;
  if (cost === null && modelSpending.costNanos + modelSpending.unknownCalls > 0)
    return {
      source: 'model',
      costNanos: modelSpending.costNanos,
      wastedNanos: modelSpending.wastedNanos,
      unknown: modelSpending.unknownCalls,
      among: modelCalls.calls,
      unknownByClass: {},
      sessions: { costNanos: modelSpending.costNanos, count: sessions.completed + sessions.failed },
    };
  return {
    source: cost === null ? 'reply' : 'service',
    costNanos: spending.costNanos,
    wastedNanos: spending.wastedNanos,
    unknown: total(unknownCosts),
    among: total(attempts) - attempts.connect_failed,
    unknownByClass: Object.fromEntries(Object.entries(unknownCosts).filter(([, count]) => count > 0)),
    sessions: { costNanos: sessionSums.costNanos, count: sessionSums.sessions },
  };
}

/** Formats models and their replies: `model-a (2 replies), model-b (1 reply)`; with source `model`, their model calls. */
export function namesText({ source }: Pick<Cost, 'source'>, counted: Cost['unknownModels']): string {
  const [one, several] = source === 'model' ? ['model call', 'model calls'] : ['reply', 'replies'];
  return counted.map(({ name, replies }) => `${name} (${countOf(replies, one, several)})`).join(', ');
}

const namedCounts = (counts: Readonly<Record<string, number>>): Cost['unknownModels'] =>
  Object.entries(counts)
    .map(([name, replies]) => ({ name, replies }))
    .toSorted((a, b) => b.replies - a.replies || (a.name < b.name ? -1 : 1))
    .slice(0, 1000);
