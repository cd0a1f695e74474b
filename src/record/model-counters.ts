import { callOutcomes, modelApis } from '../protocol/model-call.ts';
import type { CounterRow } from './counter-row.ts';
import { positions } from './positions.ts';

const call = '{call}';
const attempt = '{attempt}';
const token = '{token}';
const turn = '{turn}';
const apart = 'chat_load.model.attribution';
const position = 'chat_load.turn.position';

const ofPositions = [
  ['turns', 'model.position.turns', turn, 'Ok turns, by the position of the turn'],
  ['calls', 'model.position.calls', call, 'Model calls of all attempts of ok turns, by the position of the turn'],
  ['inputTokens', 'model.position.input_tokens', token, 'Input tokens of these calls, by the position of the turn'],
  ['outputTokens', 'model.position.output_tokens', token, 'Output tokens of these calls, by the position of the turn'],
  [
    'cachedTokens',
    'model.position.cached_tokens',
    token,
    'Cached input tokens of these calls, by the position of the turn',
  ],
] as const;

/** Relation of the shared prefix of a call's input to the earlier call that has it. */
export const prefixSources = ['sameTurn', 'earlierTurn', 'otherSession'] as const;

/** Counters of the model calls behind the agent. All are 0 without `model`. */
export const modelCounterTable = {
  /**
   * `calls` = `traced` + `matched` + `created` + `unattributed`. `traced`: by a trace id or the header; `matched`: by text;
   * `created`: calls of session creations.
   */
  modelCalls: [
    ['calls'],
    ...(['traced', 'matched', 'created', 'unattributed'] as const).map(
      (name) => [name, 'model.calls', call, 'Model calls, by attribution', apart, name] as const,
    ),
    ['otherRequests', 'model.other_requests', '{request}', 'Requests to the model service that are not model calls'],
    ['connections', 'model.connections', '{connection}', 'Connections opened to the model service'],
    ['repeats', 'model.repeats', call, 'Model calls that repeat a failed call of the same attempt; a lower bound'],
    ['duplicates', 'model.duplicates', call, 'Other model calls equal to an earlier call of the same attempt'],
    ['orphaned', 'model.orphaned', call, 'Model calls that went on after the user had left'],
    ['orphanedTokens', 'model.orphaned_tokens', token, 'Output tokens of orphaned model calls'],
    ['orphanedUs'],
    ['afterReply', 'model.after_reply', call, 'Model calls that went on after an ok reply'],
    ['afterReplyTokens', 'model.after_reply_tokens', token, 'Output tokens of these calls'],
    ['afterReplyUs'],
    /** Sums of the amplification: calls of all attempts of ok turns, and calls without repeats of the attempts that ended them. */
    ['okTurnCalls'],
    ['neededCalls'],
    ['answersChecked', 'model.delivery_checked', turn, 'Ok turns whose last model call had a unique word'],
    ['answersDelivered', 'model.delivered', turn, 'Ok turns whose reply contained that word'],
    /** Calls in the series of first tokens, of late closings and of lateness. */
    ['streamed'],
    ['closedLate'],
    ['timed'],
    /** Seconds at whose end the process of the model service had used up a core for two seconds. */
    [
      'saturatedSeconds',
      'model.saturated_time',
      's',
      'Seconds in which the process of the model service had used up a core',
    ],
    ['foreignWords', 'model.foreign_words', turn, 'Ok turns whose reply contained a word of a call of another session'],
  ],
  modelOutcomes: callOutcomes.map(
    (name) => [name, 'model.outcomes', call, 'Model calls by outcome', 'chat_load.model.outcome', name] as const,
  ),
  modelApis: modelApis.map(
    (name) => [name, 'model.api_calls', call, 'Model calls by route', 'chat_load.model.api', name] as const,
  ),
  /** Attempts of turns that ended in any class but `aborted`; of those with calls: ended after their last call, and relayed its stream. */
  modelAttempts: [
    ['withCalls', 'model.attempts', attempt, 'Attempts of turns with a model call'],
    ['noCall', 'model.no_call', attempt, 'Attempts of turns without a model call before their end'],
    ['endedAfterCalls'],
    ['relayed'],
  ],
  /** Usage of attributed and other calls together; `cacheable`: input of the calls that reported cached input. */
  modelTokens: [
    ['input', 'model.tokens', token, 'Tokens of model calls', 'gen_ai.token.type', 'input'],
    ['output', 'model.tokens', token, 'Tokens of model calls', 'gen_ai.token.type', 'output'],
    ['cachedInput', 'model.cached_tokens', token, 'Input tokens of model calls read from a cache'],
    ['cacheWrite'],
    ['reasoning'],
    ['cacheable'],
    ['reported'],
    ...prefixSources.map(
      (name) =>
        [
          `shared.${name}`,
          'model.shared_input',
          'By',
          'Input shared with an earlier call, in bytes',
          'chat_load.model.shared_with',
          name,
        ] as const,
    ),
    ['inputBytes'],
  ],
  modelPositions: positions.flatMap((at) =>
    ofPositions.map(([name, ...as]) => [`${at}.${name}`, ...as, position, at] as const),
  ),
  /** Whole billionths of the currency: all calls, orphaned ones, repeats, and those after an ok reply. */
  modelSpending: [
    ['costNanos', 'model.cost', '{currency}', 'Known cost of model calls'],
    ['orphanedNanos'],
    ['repeatedNanos'],
    ['afterReplyNanos'],
    /** Attributed attempts that were not ok. */
    ['wastedNanos'],
    ['unknownCalls', 'model.unknown_cost', call, 'Model calls of unknown cost'],
  ],
} as const satisfies Readonly<Record<string, readonly CounterRow[]>>;

/**
 * Groups whose counters are names.
 *
 * - `modelFaults`: `KIND.calls`, `KIND.turns`, `KIND.okAtOnce`, `KIND.okAfterRetry`, `KIND.failed.CLASS`, `KIND.abandoned`,
 *   where KIND is a kind of fault, or `several`; injected calls that are not attributed are `unattributed.calls`.
 * - `modelTurns`: numbers of ok turns, `KIND|POSITION|CALLS|BUCKET`: KIND is `none` for turns without a fault, POSITION the
 *   index of the position, CALLS the number of calls without repeats, BUCKET that of the turn's duration (`durationBucket`).
 * - `modelParts`: attempts with calls by their duration, `BUCKET.attempts`, and the sums of their parts in microseconds,
 *   `BUCKET.model`, `BUCKET.retryWait`, `BUCKET.agent`.
 * - `modelUnpriced`: models without a price, with their number of calls.
 * - `modelSubstituted`: models that were priced as the requested one, with their number of calls.
 */
export const modelNameGroups = [
  'modelFaults',
  'modelTurns',
  'modelParts',
  'modelUnpriced',
  'modelSubstituted',
] as const;

/** Groups whose counters are numbers: ok turns by their number of model calls, and attempts by their maximum of open calls. */
export const modelNumberTable = {
  modelCallsPerTurn: ['model.turns_by_calls', turn, 'Ok turns, by number of model calls', 'chat_load.model.calls'],
  modelParallel: [
    'model.attempts_by_parallel',
    attempt,
    'Attempts, by maximum of open model calls',
    'chat_load.model.calls',
  ],
} as const satisfies Readonly<Record<string, readonly [string, string, string, string]>>;

/** Ratio of the bounds of a duration bucket. */
const bucketRatio = 1.02;

/** Returns the number of the bucket of a duration: the buckets are 2 % wide, from 1 microsecond on. */
export function durationBucket(durationUs: number): number {
  return durationUs < 1 ? 0 : 1 + Math.floor(Math.log(durationUs) / Math.log(bucketRatio));
}

/** Returns the geometric middle of a bucket, in microseconds. */
export function bucketMiddleUs(bucket: number): number {
  return bucket === 0 ? 0 : bucketRatio ** (bucket - 0.5);
}
