import { finishes } from '../protocol/finish.ts';
import { noteRules } from '../protocol/notes.ts';
import { attemptClassNames, finishedClassNames, turnClassNames } from '../protocol/outcome.ts';
import { checkNames } from '../session/integrity/finding.ts';
import type { CounterRow, ExportAs } from './counter-row.ts';
import { modelCounterTable, modelNameGroups, modelNumberTable } from './model-counters.ts';
import { positions } from './positions.ts';
import { sessionSumNames } from './session-sums.ts';

const attempt = '{attempt}';
const event = '{event}';
const reply = '{reply}';
const session = '{session}';
const token = '{token}';
const turn = '{turn}';
const outcome = 'chat_load.outcome';
const reason = 'chat_load.reason';
const fateOfRetryAfter = 'chat_load.retry_after';
const position = 'chat_load.turn.position';
const check = 'chat_load.check';
const direction = 'gen_ai.token.type';
const part = 'chat_load.token.part';
const tokens = ['turn.tokens', token, 'Tokens of ok turns, as reported by their replies', direction] as const;

const plain = <const Name extends string>(...names: readonly Name[]) => names.map((name) => [name] as const);

/** Builds one metric for several counters, whose names are the values of its attribute. */
const by = <const Name extends string>(
  names: readonly Name[],
  ...as: [metric: string, unit: string, meaning: string, attribute: string]
) => names.map((name) => [name, ...as, name] as const);

const retryAfterUses = ['obeyed', 'violated', 'absent', 'invalid'] as const;
const giveUps = ['final', 'exhausted', 'retry_after_too_long', 'budget', 'run_end'] as const;

export const tokenParts = ['input', 'cachedInput', 'cacheWrite', 'cacheWrite1h', 'output', 'reasoning'] as const;
export type TokenPart = (typeof tokenParts)[number];
const ofTokens = [
  ['tokens', 'reply.tokens', token, 'Tokens of all replies of turns, as reported, by part of the usage'],
  ['reported', 'reply.reported_tokens', reply, 'Replies of turns that reported a part of the usage'],
] as const;

const ofHistory = [
  ['requests', 'history.requests', attempt, 'Attempts of turns that were not cut, by the position of the turn'],
  ['bytes', 'history.body_size', 'By', 'Size of request bodies of turns, by the position of the turn'],
  [
    'reported',
    'history.reported_usage',
    attempt,
    'Attempts whose reply reported its input tokens, by the position of the turn',
  ],
  [
    'inputTokens',
    'history.input_tokens',
    token,
    'Input tokens of requests, including the history, by the position of the turn',
  ],
  ['outputTokens', 'history.output_tokens', token, 'Output tokens of replies, by the position of the turn'],
  ['cachedTokens', 'history.cached_tokens', token, 'Input tokens read from a cache, by the position of the turn'],
  [
    'cacheableTokens',
    'history.cacheable_tokens',
    token,
    'Input tokens of the replies that reported cached tokens, by the position of the turn',
  ],
] as const;

const ofChecks = [
  ['checked', 'integrity.checked', reply, 'Replies that a check applied to, by check'],
  ['failed', 'integrity.failed', reply, 'Replies that broke a check, by check'],
] as const;

/** All counters with fixed names, by group. Creations are counted separately. */
export const counterTable = {
  attempts: by(attemptClassNames, 'attempt.outcomes', attempt, 'Attempts of turns by class', outcome),
  createAttempts: by(attemptClassNames, 'creation.outcomes', attempt, 'Attempts to create a session by class', outcome),
  /**
   * `attempts` and `createAttempts`, counted again as a check; attempts with a response head; opened connections; stale
   * attempts; retries in flight when the run was cut; retries over a socket whose ambiguity differs from that of their class; attempts of turns with status 409, and those
   * that followed an unfinished attempt of their session. For lost shards: attempts of turns and creations with an unknown
   * end, and ended attempts of turns with an unknown end.
   */
  exchanges: [
    ...plain('attempts', 'createAttempts', 'answered', 'connected'),
    ['stale', 'attempt.stale', attempt, 'Attempts of turns lost on a reused connection before any byte of a response'],
    [
      'createStale',
      'creation.stale',
      attempt,
      'Attempts to create a session lost on a reused connection before any byte of a response',
    ],
    ['reopened', 'attempt.reopened', attempt, 'Attempts of turns for which the socket of the session was opened again'],
    ['unsolicited', 'frame.unsolicited', '{frame}', 'Frames of replies that no attempt awaited'],
    ...plain('cutRetries', 'cutCreateRetries', 'lost', 'createLost', 'ofLostTurns'),
    ...plain('safeRetries', 'riskyRetries', 'safeCreateRetries', 'riskyCreateRetries'),
    ...plain('conflicts', 'explainedConflicts'),
  ],
  /**
   * Observations that warnings of a run state: responses with cookies that are not kept, attempts whose conversation the
   * service did not know, cookies that did not fit into their jar, and replies to new texts that were compared with repeated
   * ones, how many of these were faster, and the sums of their times, in microseconds.
   */
  signs: plain(
    ...(['cookiesIgnored', 'lostConversations', 'cookiesDropped'] as const),
    ...(['comparedTexts', 'fasterRepeats', 'newTextUs', 'repeatedTextUs'] as const),
  ),
  /** Whole billionths, so that sums merge exactly. `wastedNanos`: of attempts that were not ok. */
  spending: [
    ['costNanos', 'spending.cost', '{currency}', 'Known cost of the attempts of turns; only with cost or prices'],
    [
      'wastedNanos',
      'spending.wasted',
      '{currency}',
      'Known cost of attempts that were not ok; only with cost or prices',
    ],
  ],
  /** Attempts of turns whose cost is not known, or only as a lower bound. */
  unknownCosts: by(attemptClassNames, 'attempt.unknown_cost', attempt, 'Attempts of unknown cost, by class', outcome),
  /** Token usage of all replies. `replies`: ok attempts, and others that reported usage. `cacheable`: input of those that reported cached input. */
  tokens: [
    ['replies', 'reply.count', reply, 'Ok attempts of turns, and other attempts with reported usage'],
    ...tokenParts.flatMap((name) => ofTokens.map(([kind, ...as]) => [`${name}.${kind}`, ...as, part, name] as const)),
    ['cacheable'],
  ],
  /**
   * Streamed replies: attempts with content (`ok`, `failed`: the others that were not aborted), with a content event other
   * than reasoning (`answersOk`, ...), and ok ones with a time per token (`timed`); gaps between reads with content events;
   * turns whose last attempt had content.
   */
  streams: [
    ...plain('ok', 'failed', 'answersOk', 'answersFailed'),
    ['reasoned', 'stream.reasoned', reply, 'Streamed replies with reasoning'],
    ['timed'],
    ['missingDone', 'stream.missing_done', reply, 'Streams that ended without the protocol’s terminator'],
    ...plain('gapsOk', 'gapsFailed'),
    [
      'sharedReads',
      'stream.shared_reads',
      event,
      'Content events that arrived in the same read as the previous event, so that no gap ends at them',
    ],
    ['severalEvents', 'stream.several_events', reply, 'Streamed replies with two or more content events'],
    [
      'oneRead',
      'stream.one_read',
      reply,
      'Streamed replies with two or more content events that arrived in one read: they have no gaps and no time per token',
    ],
    [
      'buffered',
      'stream.buffered',
      reply,
      'Streamed replies with two or more content events that arrived in one read, 50 ms or more after the send',
    ],
    ...plain('turnsOk', 'turnsFailed'),
    [
      'retriesAfterContent',
      'stream.retries_after_content',
      attempt,
      'Retries of attempts whose content had begun to arrive',
    ],
    ['inputTokens', ...tokens, 'input'],
    ['outputTokens', ...tokens, 'output'],
    ['reportedUsage', 'turn.reported_usage', turn, 'Ok turns whose reply reported its output tokens'],
  ],
  history: positions.flatMap((at) => ofHistory.map(([name, ...as]) => [`${at}.${name}`, ...as, position, at] as const)),
  turns: by(turnClassNames, 'turn.outcomes', turn, 'Turns by class, including turns never sent', outcome),
  /** Ok turns by the end that their reply states; those without text and tool calls, also by position, and those cut at a limit by position. */
  replyEnds: [
    ...by(finishes, 'turn.finishes', turn, 'Ok turns, by the end that their reply states', 'chat_load.finish'),
    ['empty', 'turn.empty', turn, 'Ok turns whose reply has neither text nor a tool call'],
    ...positions.flatMap((at) => plain(`${at}.empty`, `${at}.length`)),
  ],
  notes: by(noteRules, 'reply.notes', reply, 'Deviations of replies that no client notices, by rule', 'chat_load.rule'),
  turnFlow: [
    ['planned', 'turn.planned', turn, 'Planned turns of created sessions'],
    ['sent', 'turn.sent', turn, 'Turns whose first attempt was sent'],
    [
      'carried_over',
      'turn.carried_over',
      turn,
      'Turns sent after the warm-up in sessions that had started before its end',
    ],
    ['good', 'turn.good', turn, 'Ok turns within the latency objective'],
    ['lost', 'turn.lost', turn, 'Turns sent by a lost shard, with an unknown end'],
    ['toolTurns', 'turn.tool_results', turn, 'Turns that sent tool results'],
  ],
  sessions: [
    ['started', 'session.started', session, 'Sessions whose first create attempt was sent'],
    ['created', 'session.created', session, 'Sessions whose id was received, or that need none'],
    ['completed', 'session.completed', session, 'Created sessions whose turns all ran'],
    ['failed', 'session.failed', session, 'Created sessions that a failed turn ended or flagged'],
    ['cut', 'session.cut', session, 'Created sessions that were cut at the end of the run'],
    ['create_failed', 'session.create_failed', session, 'Sessions whose creation finally failed'],
    ['create_cut', 'session.create_cut', session, 'Sessions whose creation was cut at the end of the run'],
    [
      'dropped',
      'session.dropped',
      session,
      'Sessions not started because the maximum number of live sessions was reached when they were due',
    ],
    ['not_started', 'session.not_started', session, 'Sessions not started before the end of the run'],
    ['not_started_due', 'session.not_started_due', session, 'Sessions not started although they had become due'],
    ['lost', 'session.lost', session, 'Sessions in progress in a lost shard'],
    ['lost_creating', 'session.lost_creating', session, 'Sessions being created in a lost shard'],
    ['uncreated', 'session.uncreated', session, 'Created sessions of a protocol without session creation'],
  ],
  retries: by(finishedClassNames, 'turn.retries', attempt, 'Retries of turns, by the class that was retried', outcome),
  createRetries: by(
    finishedClassNames,
    'creation.retries',
    attempt,
    'Retries of creations, by the class that was retried',
    outcome,
  ),
  retryAfter: by(
    retryAfterUses,
    'turn.retry_after',
    attempt,
    'Retries of turns, by the handling of Retry-After',
    fateOfRetryAfter,
  ),
  createRetryAfter: by(
    retryAfterUses,
    'creation.retry_after',
    attempt,
    'Retries of creations, by the handling of Retry-After',
    fateOfRetryAfter,
  ),
  gaveUp: by(giveUps, 'turn.gave_up', turn, 'Failures of turns without a further attempt, by reason', reason),
  createGaveUp: by(
    giveUps,
    'creation.gave_up',
    session,
    'Failures of creations without a further attempt, by reason',
    reason,
  ),
  sessionSums: plain(...sessionSumNames),
  /** Samples of the delay with which the generator reads: probes while turns were in flight, and replies next to a probe. */
  readDelays: plain('sampled', 'replies'),
  /** `replies`: all examined replies. `untagged`: replies without a tag, before the first reply with one. */
  integrity: [
    ['replies', 'integrity.replies', reply, 'Replies that the integrity guard checked'],
    [
      'untagged',
      'integrity.untagged',
      reply,
      'Replies without the tag that the guard had requested, before any reply contained one',
    ],
    ...checkNames.flatMap((name) => ofChecks.map(([part, ...as]) => [`${name}.${part}`, ...as, check, name] as const)),
    ...(['lost', 'duplicated', 'reordered', 'repeated'] as const).map(
      (fault) =>
        [
          `turns.${fault}`,
          'integrity.turn_faults',
          turn,
          "Errors in the agent's own list of turns",
          'chat_load.fault',
          fault,
        ] as const,
    ),
    [
      'ambiguous.checked',
      'integrity.checked_after_ambiguous_retry',
      reply,
      'Replies checked after an ambiguous retry in their session',
    ],
    [
      'ambiguous.failed',
      'integrity.failed_after_ambiguous_retry',
      reply,
      'Replies that broke a check after an ambiguous retry in their session',
    ],
  ],
  ...modelCounterTable,
} as const satisfies Readonly<Record<string, readonly CounterRow[]>>;

/**
 * Groups whose counters are names: models without a price, models priced as the requested one, and parts priced as other
 * input, each with its number of replies; waits that could not be read, with their refusals; marks of caches, with their ok
 * replies; and groups of model calls.
 */
export const nameGroups = [
  'unpricedModels',
  'substitutedPrices',
  'fallbackPrices',
  'unreadWaits',
  'cacheMarks',
  ...modelNameGroups,
] as const;

/** Groups whose counters are numbers of attempts, from 1: turns, and ok turns, by their number of attempts. */
export const attemptTable = {
  turnsByAttempts: ['turn.by_attempts', turn, 'Turns that ended, by number of attempts', 'chat_load.attempts'],
  okByAttempts: ['turn.ok_by_attempts', turn, 'Ok turns, by number of attempts', 'chat_load.attempts'],
  ...modelNumberTable,
} as const satisfies Readonly<Record<string, ExportAs>>;
