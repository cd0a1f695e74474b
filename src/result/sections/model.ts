import { z } from 'zod';
import { amountOrNull, count, countsBy, durationMs, listOf, share, shareOf } from '../../base/field.ts';
import { formatCount } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import { nanosPerUnit } from '../../plan/prices.ts';
import { callOutcomes, modelApis } from '../../protocol/model-call.ts';
import type { Counters } from '../../record/counters.ts';
import { positions } from '../../record/positions.ts';
import { maxSlowTurns, slowTurnSchema, type SlowTurn } from '../../record/slow-turns.ts';
import { cachedShareOf } from './cost.ts';
import {
  attemptPartsSchema,
  buildParallel,
  buildParts,
  callsPerTurnShape,
  countIn,
  parallelSchema,
  summarizeCounts,
} from './model-parts.ts';
import { buildPropagation, propagationRowsSchema } from './model-propagation.ts';

const lateWorkSchema = z.object({
  calls: count('Model calls'),
  ms: durationMs('Time that they were open after the end of the attempt'),
  tokens: count('Output tokens after the end of the attempt'),
  cost: amountOrNull('Their known cost (currency; null without prices)'),
});

const positionSchema = z.object({
  position: z.enum(positions).describe('Number of the turn in its session, or a range of numbers'),
  turns: count('Ok turns'),
  calls: count('Model calls of all attempts of these turns'),
  callsPerTurn: amountOrNull('Model calls per ok turn'),
  inputPerTurn: amountOrNull('Input tokens per ok turn'),
  outputPerTurn: amountOrNull('Output tokens per ok turn'),
  cachedShare: share('Input tokens read from a cache, as a share of the input tokens'),
});

export const modelSchema = z.object({
  calls: z
    .object({
      total: count('All model calls'),
      traced: count('Attributed by a trace id or the header'),
      matched: count('Attributed by the text of the message'),
      created: count('Calls of session creations'),
      unattributed: count('Calls that belong to no known attempt'),
    })
    .describe('Model calls by attribution'),
  attributedShare: share('Attributed calls as a share of all calls'),
  byApi: countsBy(modelApis, 'Model calls by route'),
  byOutcome: countsBy(callOutcomes, 'Model calls by outcome'),
  callsPerTurn: z
    .object({
      turns: count('Ok turns'),
      calls: count('Model calls of all attempts of these turns'),
      neededCalls: count('Model calls without repeats of the attempts that ended these turns'),
      ...callsPerTurnShape,
    })
    .describe('Model calls of all attempts of an ok turn'),
  amplification: amountOrNull('`calls` / `neededCalls` of ok turns (ratio; null without calls)'),
  positions: listOf(positionSchema, positions.length).describe('Ok turns by their position in the session'),
  parts: attemptPartsSchema.describe('Mean parts of the attempts: model, wait for repeats, agent'),
  attempts: count('Attempts with a model call'),
  noCall: count('Attempts without a model call before their end'),
  parallel: parallelSchema.describe('Maximum number of calls of an attempt that were open at once'),
  repeats: count('Calls that repeat a failed call of the same attempt; a lower bound'),
  duplicates: count('Other calls that equal an earlier call of the same attempt'),
  orphaned: lateWorkSchema.describe('Calls that went on after the user had left, or had stopped waiting'),
  afterReply: lateWorkSchema.describe('Calls that went on after an ok reply'),
  delivered: z
    .object({
      checked: count('Ok turns whose last call had a unique word'),
      delivered: count('Ok turns whose reply contained it'),
      share: share('Delivered among checked'),
      foreign: count('Ok turns whose reply contained the word of a call of another session'),
    })
    .describe('Final replies of the model service that reached the user; only with `model.delivered`'),
  propagation: propagationRowsSchema.describe('Effect of injected faults on turns, by kind'),
  tokens: z
    .object({
      input: count('Input tokens'),
      output: count('Output tokens'),
      cachedInput: count('Input tokens read from a cache'),
      cacheWrite: count('Input tokens written to a cache'),
      reasoning: count('Output tokens of reasoning'),
      reportedCalls: count('Calls with reported usage'),
      cachedShare: share('Input tokens read from a cache, as a share of the input of the calls that report them'),
    })
    .describe('Token usage of all model calls'),
  cacheable: z
    .object({
      sameTurn: share('With an earlier call of the same turn'),
      earlierTurn: share('With a call of an earlier turn of the session'),
      otherSession: share('With a call of another session'),
    })
    .describe('Share of the input that repeats the beginning of an earlier call'),
  connections: z
    .object({
      opened: count('Connections opened to the model service'),
      per1000Calls: amountOrNull('Connections per 1,000 calls (null without calls)'),
    })
    .describe('Connections of the agent to the model service'),
  otherRequests: count('Requests to the model service that are not model calls'),
  saturatedSeconds: count('Seconds at whose end the model service had used 90 % of a core or more for two seconds'),
  slowTurns: listOf(slowTurnSchema, maxSlowTurns)
    .optional()
    .describe('Slowest turns with a model call, including the warm-up'),
});
export type Model = z.infer<typeof modelSchema>;

/** Builds the figures of the model calls behind the agent; `null` without a model service. */
export function buildModel(
  counters: Counters,
  { model, prices }: Pick<Plan, 'model' | 'prices'>,
  slowTurns: readonly SlowTurn[] | undefined,
): Model | null {
  if (model === undefined) return null;
  const { modelCalls: calls, modelAttempts, modelTokens: tokens, modelSpending } = counters;
  const costOf = (nanos: number): number | null => (prices === null ? null : nanos / nanosPerUnit);
  const sharedOf = (bytes: number): number | null => shareOf(Math.min(bytes, tokens.inputBytes), tokens.inputBytes);
  const connections = shareOf(calls.connections, calls.calls);
  return {
    calls: {
      total: calls.calls,
      traced: calls.traced,
      matched: calls.matched,
      created: calls.created,
      unattributed: calls.unattributed,
    },
    attributedShare: shareOf(calls.calls - calls.unattributed, calls.calls),
    byApi: { ...counters.modelApis },
    byOutcome: { ...counters.modelOutcomes },
    callsPerTurn: {
      turns: countIn(counters.modelCallsPerTurn),
      calls: calls.okTurnCalls,
      neededCalls: calls.neededCalls,
      ...summarizeCounts(counters.modelCallsPerTurn),
    },
    amplification: shareOf(calls.okTurnCalls, calls.neededCalls),
    positions: buildPositions(counters),
    parts: buildParts(counters.modelParts),
    attempts: modelAttempts.withCalls,
    noCall: modelAttempts.noCall,
    parallel: buildParallel(counters.modelParallel),
    repeats: calls.repeats,
    duplicates: calls.duplicates,
    orphaned: {
      calls: calls.orphaned,
      ms: calls.orphanedUs / 1000,
      tokens: calls.orphanedTokens,
      cost: costOf(modelSpending.orphanedNanos),
    },
    afterReply: {
      calls: calls.afterReply,
      ms: calls.afterReplyUs / 1000,
      tokens: calls.afterReplyTokens,
      cost: costOf(modelSpending.afterReplyNanos),
    },
    delivered: {
      checked: calls.answersChecked,
      delivered: calls.answersDelivered,
      share: shareOf(calls.answersDelivered, calls.answersChecked),
      foreign: calls.foreignWords,
    },
    propagation: buildPropagation(counters),
    tokens: {
      input: tokens.input,
      output: tokens.output,
      cachedInput: tokens.cachedInput,
      cacheWrite: tokens.cacheWrite,
      reasoning: tokens.reasoning,
      reportedCalls: tokens.reported,
      cachedShare: cachedShareOf(tokens.cachedInput, tokens.cacheable),
    },
    cacheable: {
      sameTurn: sharedOf(tokens['shared.sameTurn']),
      earlierTurn: sharedOf(tokens['shared.earlierTurn']),
      otherSession: sharedOf(tokens['shared.otherSession']),
    },
    connections: { opened: calls.connections, per1000Calls: connections === null ? null : connections * 1000 },
    otherRequests: calls.otherRequests,
    saturatedSeconds: calls.saturatedSeconds,
    ...(slowTurns !== undefined && { slowTurns: slowTurns.slice(0, maxSlowTurns) }),
  };
}

/** Share of attributed calls below which figures by turn and by attempt lack too many calls. */
export const minAttributed = 0.95;

/** Reports whether enough calls are attributed for figures by turn; they are without a call. */
export function isAttributed(attributed: number, calls: number): boolean {
  return attributed >= minAttributed * calls;
}

/** Explains why figures by turn are not evidence about a limit; `undefined` if enough calls are attributed. */
export function unattributedText(model: Pick<Model, 'calls'> | null): string | undefined {
  if (model === null) return undefined;
  const { total, unattributed } = model.calls;
  if (total === 0) return 'no model call: is the agent configured with the address of the model service?';
  if (isAttributed(total - unattributed, total)) return undefined;
  return `${formatCount(unattributed)} of ${formatCount(total)} model calls belong to no known turn: let the agent forward traceparent`;
}

const buildPositions = ({ modelPositions }: Counters): Model['positions'] =>
  positions.map((position) => {
    const turns = modelPositions[`${position}.turns`];
    const calls = modelPositions[`${position}.calls`];
    const input = modelPositions[`${position}.inputTokens`];
    return {
      position,
      turns,
      calls,
      callsPerTurn: shareOf(calls, turns),
      inputPerTurn: shareOf(input, turns),
      outputPerTurn: shareOf(modelPositions[`${position}.outputTokens`], turns),
      cachedShare: cachedShareOf(modelPositions[`${position}.cachedTokens`], input),
    };
  });
