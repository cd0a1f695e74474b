import type { FinishedClass } from '../protocol/outcome.ts';

type Percentile = 'p50' | 'p75' | 'p90' | 'p95' | 'p99' | 'p99.9' | 'p99.99';
type Statistic = Percentile | 'min' | 'mean' | 'max';

/** Series that are split into ok and failed turns or attempts. */
type SplitSeries = 'turn' | 'attempt' | 'effective' | 'effectiveFirstToken' | 'firstAnswer' | 'firstToken' | 'gap';

type Position = '1' | '2' | '3-4' | '5-8' | '9-16' | '17+';

type Series =
  | 'backoff'
  | 'backoffActual'
  | 'connect'
  | 'firstByte'
  | 'lateness'
  | 'replyTail'
  | 'sessionCreate'
  | 'sessionLateness'
  | 'tokenTime'
  | `model.${'time' | 'retryWait' | 'agentTime' | 'beforeFirstCall' | 'afterLastCall' | 'relay' | 'call' | 'firstToken' | 'cancelDelay' | 'lateness'}`
  | `position.${Position}`
  | `position.${Position}.firstToken`;

type ReplyEnd = 'complete' | 'length' | 'filtered' | 'tool' | 'other' | 'none';

type IntegrityCheck =
  | 'answered'
  | 'restarted'
  | 'crossed'
  | 'stale'
  | 'placeholder'
  | 'variables'
  | 'leakage'
  | 'turns'
  | 'continuity'
  | 'amnesia';

/** A figure of a result that a gate can name, as in the registry of metrics. */
export type MetricName =
  | `${SplitSeries | `${SplitSeries}.${'ok' | 'failed'}` | Series}.${Statistic}`
  | `${'turn' | 'effective'}.adjusted.${Percentile}`
  | `turns.${'failedShare' | 'failed' | 'ok' | 'skipped' | 'aborted' | 'abandonedShare' | 'unansweredShare' | 'emptyShare'}`
  | `finish.${ReplyEnd}Share`
  | 'attempts.failedShare'
  | `outcomes.${FinishedClass}.${'share' | 'count'}`
  | `sessions.${'failedShare' | 'createFailedShare' | 'startedShare' | 'unansweredShare' | 'dropped'}`
  | `retries.${'amplification' | 'count' | 'ambiguous' | 'exhausted' | 'recovered'}`
  | `rates.${'turns' | 'attempts' | 'sessions' | 'sessionsStarted' | 'goodput'}PerSecond`
  | 'goodput.share'
  | `stream.${'sharedReads' | 'outputTokensPerSecond' | 'missingDone' | 'retriesAfterContent'}`
  | `tokens.${'cachedShare' | 'inputPerTurn' | 'outputPerTurn'}`
  | `cost.${'total' | 'perTurn' | 'perOkTurn' | 'perSession' | 'perGoodTurn' | 'wasted' | 'wastedShare' | 'unknownShare' | 'orphaned' | 'repeated' | 'afterReply'}`
  | `model.${'calls' | 'attributedShare' | 'callsPerTurn' | 'amplification' | 'noCall' | 'parallel' | 'repeats' | 'duplicates'}`
  | `model.${'orphaned' | 'orphanedMs' | 'orphanedTokens' | 'afterReply' | 'delivered' | 'cacheable' | 'cachedShare' | 'connections'}`
  | `model.callsPerTurn.${'p50' | 'p95' | 'max'}`
  | `model.cacheable.${'sameTurn' | 'earlierTurn' | 'otherSession'}`
  | `model.position.${Position}.${'callsPerTurn' | 'inputPerTurn' | 'outputPerTurn'}`
  | `integrity.${'' | `${IntegrityCheck}.`}failed`
  | 'validity'
  | `concurrency.${'sessions' | 'turns' | 'sockets'}.mean`
  | `drift.${'turn.mean' | 'model.time.mean' | 'model.agentTime.mean' | `${'turn' | 'firstToken'}.${'p50' | 'p95'}` | 'turns.failedShare' | 'rates.turnsPerSecond' | 'goodput.share' | 'cost.perTurn'}`
  | `drift.generator.${'rss' | 'heap' | 'eventLoopDelay'}`;
