import { attemptClassNames, finishedClassNames, turnClassNames } from '../protocol/outcome.ts';
import { checkNames } from '../session/integrity/finding.ts';
import { positions } from './positions.ts';
import { sessionSumNames } from './session-sums.ts';

/** How a counter is exported: its metric, and, if an attribute tells the counters of that metric apart, its value here. */
type ExportAs = readonly [metric: string, unit: string, meaning: string, attribute?: string, value?: string];
/** A counter. Not exported: what is a sum of other counters or the count of a series, or is of use to statistics alone. */
export type CounterRow = readonly [name: string, ...as: readonly [] | ExportAs];

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
const tokens = ['turn.tokens', token, 'Tokens of ok turns, as their replies told them', direction] as const;

const plain = <const Name extends string>(...names: readonly Name[]) => names.map((name) => [name] as const);

/** One metric for several counters, whose names are the values of its attribute. */
const each = <const Name extends string>(
  names: readonly Name[],
  ...as: [metric: string, unit: string, meaning: string, attribute: string]
) => names.map((name) => [name, ...as, name] as const);

const retryAfterUses = ['obeyed', 'violated', 'absent', 'invalid'] as const;
const giveUps = ['final', 'exhausted', 'retry_after_too_long', 'budget', 'run_end'] as const;

const ofHistory = [
  ['requests', 'history.requests', attempt, 'Attempts of turns that were not cut, by the position of the turn'],
  ['bytes', 'history.body_size', 'By', 'The bytes of the bodies of their requests, by the position of the turn'],
  ['told', 'history.told', attempt, 'Attempts whose reply told the tokens of its request, by the position of the turn'],
  [
    'inputTokens',
    'history.input_tokens',
    token,
    'The tokens of their requests, history included, by the position of the turn',
  ],
] as const;

const ofChecks = [
  ['checked', 'integrity.checked', reply, 'Replies that a check applied to, by check'],
  ['failed', 'integrity.failed', reply, 'Replies that broke a check, by check'],
] as const;

/** Every counter with a fixed name, by group. Counts of creations are separate. */
export const counterTable = {
  attempts: each(attemptClassNames, 'attempt.outcomes', attempt, 'Attempts of turns by class', outcome),
  createAttempts: each(
    attemptClassNames,
    'creation.outcomes',
    attempt,
    'Attempts to create a session by class',
    outcome,
  ),
  /**
   * `attempts` and `createAttempts` once more, as a check; attempts with a response head; connections opened; stale
   * ones; retries that were in flight when the run was cut. Of a lost shard: attempts whose end is unknown, of turns and
   * of creations, and attempts that ended of turns whose own end is unknown.
   */
  exchanges: [
    ...plain('attempts', 'createAttempts', 'answered', 'connected'),
    ['stale', 'attempt.stale', attempt, 'Attempts of turns lost on a kept connection before any byte of a response'],
    ['createStale', 'creation.stale', attempt, 'Attempts to create a session lost in the same way'],
    ...plain('cutRetries', 'cutCreateRetries', 'lost', 'createLost', 'ofLostTurns'),
  ],
  /** Whole millionths, so that sums merge exactly. */
  spending: [
    [
      'costMillionths',
      'spending.cost',
      '{currency}',
      "What replies cost, in the scenario's currency; only where the scenario says it",
    ],
  ],
  /**
   * Replies in pieces: attempts with content (`ok`, `failed`: the others that were not aborted), with a content event
   * that is no reasoning (`answersOk`, ...), and ok ones with a time a token (`timed`); gaps between content events; turns
   * whose last attempt had content.
   */
  streams: [
    ...plain('ok', 'failed', 'answersOk', 'answersFailed'),
    ['reasoned', 'stream.reasoned', reply, 'Replies in pieces with reasoning'],
    ['timed'],
    [
      'missingDone',
      'stream.missing_done',
      reply,
      'Replies that came to their end without the mark that the protocol puts behind it',
    ],
    ...plain('gapsOk', 'gapsFailed'),
    [
      'sharedReads',
      'stream.shared_reads',
      event,
      'Content events that came in one read with the event before them; a gap ends at each event but the first',
    ],
    ...plain('turnsOk', 'turnsFailed'),
    ['retriesAfterContent', 'stream.retries_after_content', attempt, 'Retries of attempts of which content had come'],
    ['inputTokens', ...tokens, 'input'],
    ['outputTokens', ...tokens, 'output'],
    ['toldUsage', 'turn.told_tokens', turn, 'Ok turns whose reply told its output tokens'],
  ],
  history: positions.flatMap((at) => ofHistory.map(([name, ...as]) => [`${at}.${name}`, ...as, position, at] as const)),
  turns: each(turnClassNames, 'turn.outcomes', turn, 'Turns by class, including those never sent', outcome),
  turnFlow: [
    ['planned', 'turn.planned', turn, 'Turns planned, of sessions that were created'],
    ['sent', 'turn.sent', turn, 'Turns whose first attempt was sent'],
    [
      'carried_over',
      'turn.carried_over',
      turn,
      'Turns sent after the warm-up in sessions that had started before its end',
    ],
    ['good', 'turn.good', turn, 'Ok turns within the latency objective'],
    ['lost', 'turn.lost', turn, 'Turns sent by a shard that was lost, with an end that is unknown'],
    ['toolTurns', 'turn.tool_results', turn, 'Turns that said what tools gave'],
  ],
  sessions: [
    ['started', 'session.started', session, 'Sessions whose first create attempt was sent'],
    ['created', 'session.created', session, 'Sessions whose id was received, or that need none'],
    ['completed', 'session.completed', session, 'Created sessions all of whose turns were played'],
    ['failed', 'session.failed', session, 'Created sessions that a failed turn ended or tainted'],
    ['cut', 'session.cut', session, "Created sessions that the run's end cut"],
    ['create_failed', 'session.create_failed', session, 'Sessions whose creation failed for good'],
    ['create_cut', 'session.create_cut', session, "Sessions whose creation the run's end cut"],
    [
      'dropped',
      'session.dropped',
      session,
      'Sessions not started because the bound on live sessions was reached when they were due',
    ],
    ['not_started', 'session.not_started', session, "Sessions that the run's end left unstarted"],
    ['not_started_due', 'session.not_started_due', session, 'Of these, those that had become due'],
    ['lost', 'session.lost', session, 'Sessions under way in a shard that was lost'],
    ['lost_creating', 'session.lost_creating', session, 'Of these, those that were being created'],
    ['uncreated', 'session.uncreated', session, 'Of the created ones, those whose protocol creates none'],
  ],
  retries: each(
    finishedClassNames,
    'turn.retries',
    attempt,
    'Retries of turns, by the class that was retried',
    outcome,
  ),
  createRetries: each(
    finishedClassNames,
    'creation.retries',
    attempt,
    'Retries of creations, by the class that was retried',
    outcome,
  ),
  retryAfter: each(
    retryAfterUses,
    'turn.retry_after',
    attempt,
    'Retries of turns, by what became of Retry-After',
    fateOfRetryAfter,
  ),
  createRetryAfter: each(
    retryAfterUses,
    'creation.retry_after',
    attempt,
    'Retries of creations, by what became of Retry-After',
    fateOfRetryAfter,
  ),
  gaveUp: each(giveUps, 'turn.gave_up', turn, 'Failures of turns without a further attempt, by reason', reason),
  createGaveUp: each(
    giveUps,
    'creation.gave_up',
    session,
    'Failures of creations without a further attempt, by reason',
    reason,
  ),
  sessionSums: plain(...sessionSumNames),
  /** `replies`: all that were looked at. `untagged`: without a tag, before the first reply with one. */
  integrity: [
    ['replies', 'integrity.replies', reply, 'Replies that the integrity guard checked'],
    [
      'untagged',
      'integrity.untagged',
      reply,
      'Of these, those without the tag that the guard had asked for, before any reply contained one',
    ],
    ...checkNames.flatMap((name) => ofChecks.map(([part, ...as]) => [`${name}.${part}`, ...as, check, name] as const)),
    ...(['lost', 'duplicated', 'reordered', 'repeated'] as const).map(
      (fault) =>
        [
          `turns.${fault}`,
          'integrity.turn_faults',
          turn,
          "What was wrong with the agent's own list of turns",
          'chat_load.fault',
          fault,
        ] as const,
    ),
    [
      'ambiguous.checked',
      'integrity.checked_after_ambiguous_retry',
      reply,
      'Replies checked in sessions with an ambiguous retry before them',
    ],
    ['ambiguous.failed', 'integrity.failed_after_ambiguous_retry', reply, 'Of these, those that broke a check'],
  ],
} as const satisfies Readonly<Record<string, readonly CounterRow[]>>;

/** Groups whose counters are numbers of attempts, from 1: turns, and ok turns, by how many they took. */
export const attemptTable = {
  turnsByAttempts: ['turn.by_attempts', turn, 'Turns that ended, by number of attempts', 'chat_load.attempts'],
  okByAttempts: ['turn.ok_by_attempts', turn, 'Ok turns, by number of attempts', 'chat_load.attempts'],
} as const satisfies Readonly<Record<string, ExportAs>>;
