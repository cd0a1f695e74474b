import type { Counters } from '../../record/counters.ts';
import { positions, type Position } from '../../record/positions.ts';
import type { Live } from '../../record/live.ts';
import { checkNames, type CheckName } from '../../session/integrity/check-names.ts';

/** Something that the recorder counts, as it is exported: one number, or several that an attribute tells apart. */
export type ExportedCount = Named &
  (
    | { by: string; read: (counters: Counters) => Readonly<Record<string, number>> }
    | { by?: never; read: (counters: Counters) => number }
  );

interface Named {
  name: string;
  /** What is counted, as UCUM writes an annotation. */
  unit: string;
  meaning: string;
  /** Whether it is a fraction, and exported only where the scenario says what replies cost. */
  isCost?: boolean;
}

const outcome = 'chat_load.outcome';
const direction = 'gen_ai.token.type';
const token = '{token}';
const event = '{event}';
const position = 'chat_load.turn.position';
const turn = '{turn}';
const attempt = '{attempt}';
const session = '{session}';
const reply = '{reply}';

/**
 * Every count that is exported. What the recorder counts once more as a check (all attempts, replies with a head) is the
 * sum of one of these or the count of a series, and sums of squares are of no use to a dashboard.
 */
export const exportedCounts: readonly ExportedCount[] = [
  {
    name: 'chat_load.turn.outcomes',
    unit: turn,
    meaning: 'Turns by class, including those never sent',
    by: outcome,
    read: ({ turns }) => turns,
  },
  {
    name: 'chat_load.turn.planned',
    unit: turn,
    meaning: 'Turns planned, of sessions that were created',
    read: ({ turnFlow }) => turnFlow.planned,
  },
  {
    name: 'chat_load.turn.sent',
    unit: turn,
    meaning: 'Turns whose first attempt was sent',
    read: ({ turnFlow }) => turnFlow.sent,
  },
  {
    name: 'chat_load.turn.carried_over',
    unit: turn,
    meaning: 'Turns sent after the warm-up in sessions that had started before its end',
    read: ({ turnFlow }) => turnFlow.carried_over,
  },
  {
    name: 'chat_load.turn.tool_results',
    unit: turn,
    meaning: 'Turns that said what tools gave',
    read: ({ turnFlow }) => turnFlow.toolTurns,
  },
  {
    name: 'chat_load.turn.good',
    unit: turn,
    meaning: 'Ok turns within the latency objective',
    read: ({ turnFlow }) => turnFlow.good,
  },
  {
    name: 'chat_load.turn.lost',
    unit: turn,
    meaning: 'Turns sent by a shard that was lost, with an end that is unknown',
    read: ({ turnFlow }) => turnFlow.lost,
  },
  {
    name: 'chat_load.turn.by_attempts',
    unit: turn,
    meaning: 'Turns that ended, by number of attempts',
    by: 'chat_load.attempts',
    read: ({ turnsByAttempts }) => turnsByAttempts,
  },
  {
    name: 'chat_load.turn.ok_by_attempts',
    unit: turn,
    meaning: 'Ok turns, by number of attempts',
    by: 'chat_load.attempts',
    read: ({ okByAttempts }) => okByAttempts,
  },
  {
    name: 'chat_load.turn.retries',
    unit: attempt,
    meaning: 'Retries of turns, by the class that was retried',
    by: outcome,
    read: ({ retries }) => retries,
  },
  {
    name: 'chat_load.turn.retry_after',
    unit: attempt,
    meaning: 'Retries of turns, by what became of Retry-After',
    by: 'chat_load.retry_after',
    read: ({ retryAfter }) => retryAfter,
  },
  {
    name: 'chat_load.turn.gave_up',
    unit: turn,
    meaning: 'Failures of turns without a further attempt, by reason',
    by: 'chat_load.reason',
    read: ({ gaveUp }) => gaveUp,
  },
  {
    name: 'chat_load.attempt.outcomes',
    unit: attempt,
    meaning: 'Attempts of turns by class',
    by: outcome,
    read: ({ attempts }) => attempts,
  },
  {
    name: 'chat_load.attempt.stale',
    unit: attempt,
    meaning: 'Attempts of turns lost on a kept connection before any byte of a response',
    read: ({ exchanges }) => exchanges.stale,
  },
  {
    name: 'chat_load.creation.outcomes',
    unit: attempt,
    meaning: 'Attempts to create a session by class',
    by: outcome,
    read: ({ createAttempts }) => createAttempts,
  },
  {
    name: 'chat_load.creation.stale',
    unit: attempt,
    meaning: 'Attempts to create a session lost in the same way',
    read: ({ exchanges }) => exchanges.createStale,
  },
  {
    name: 'chat_load.creation.retries',
    unit: attempt,
    meaning: 'Retries of creations, by the class that was retried',
    by: outcome,
    read: ({ createRetries }) => createRetries,
  },
  {
    name: 'chat_load.creation.retry_after',
    unit: attempt,
    meaning: 'Retries of creations, by what became of Retry-After',
    by: 'chat_load.retry_after',
    read: ({ createRetryAfter }) => createRetryAfter,
  },
  {
    name: 'chat_load.creation.gave_up',
    unit: session,
    meaning: 'Failures of creations without a further attempt, by reason',
    by: 'chat_load.reason',
    read: ({ createGaveUp }) => createGaveUp,
  },
  ...sessionCounts({
    started: 'Sessions whose first create attempt was sent',
    created: 'Sessions whose id was received, or that need none',
    completed: 'Created sessions all of whose turns were played',
    failed: 'Created sessions that a failed turn ended or tainted',
    cut: "Created sessions that the run's end cut",
    create_failed: 'Sessions whose creation failed for good',
    create_cut: "Sessions whose creation the run's end cut",
    dropped: 'Sessions not started because the bound on live sessions was reached when they were due',
    not_started: "Sessions that the run's end left unstarted",
    not_started_due: 'Of these, those that had become due',
    lost: 'Sessions under way in a shard that was lost',
    lost_creating: 'Of these, those that were being created',
    uncreated: 'Of the created ones, those whose protocol creates none',
  }),
  {
    name: 'chat_load.stream.shared_reads',
    unit: event,
    meaning: 'Content events that came in one read with the event before them; a gap ends at each event but the first',
    read: ({ streams }) => streams.sharedReads,
  },
  {
    name: 'chat_load.stream.reasoned',
    unit: reply,
    meaning: 'Replies in pieces with reasoning',
    read: ({ streams }) => streams.reasoned,
  },
  {
    name: 'chat_load.stream.missing_done',
    unit: reply,
    meaning: 'Replies that came to their end without the mark that the protocol puts behind it',
    read: ({ streams }) => streams.missingDone,
  },
  {
    name: 'chat_load.stream.retries_after_content',
    unit: attempt,
    meaning: 'Retries of attempts of which content had come',
    read: ({ streams }) => streams.retriesAfterContent,
  },
  {
    name: 'chat_load.turn.tokens',
    unit: token,
    meaning: 'Tokens of ok turns, as their replies told them',
    by: direction,
    read: ({ streams }) => ({ input: streams.inputTokens, output: streams.outputTokens }),
  },
  {
    name: 'chat_load.turn.told_tokens',
    unit: turn,
    meaning: 'Ok turns whose reply told its output tokens',
    read: ({ streams }) => streams.toldUsage,
  },
  {
    name: 'chat_load.history.requests',
    unit: attempt,
    meaning: 'Attempts of turns that were not cut, by the position of the turn',
    by: position,
    read: ({ history }) => byPosition((at) => history[`${at}.requests`]),
  },
  {
    name: 'chat_load.history.body_size',
    unit: 'By',
    meaning: 'The bytes of the bodies of their requests, by the position of the turn',
    by: position,
    read: ({ history }) => byPosition((at) => history[`${at}.bytes`]),
  },
  {
    name: 'chat_load.history.told',
    unit: attempt,
    meaning: 'Attempts whose reply told the tokens of its request, by the position of the turn',
    by: position,
    read: ({ history }) => byPosition((at) => history[`${at}.told`]),
  },
  {
    name: 'chat_load.history.input_tokens',
    unit: token,
    meaning: 'The tokens of their requests, history included, by the position of the turn',
    by: position,
    read: ({ history }) => byPosition((at) => history[`${at}.inputTokens`]),
  },
  {
    name: 'chat_load.integrity.replies',
    unit: reply,
    meaning: 'Replies that the integrity guard checked',
    read: ({ integrity }) => integrity.replies,
  },
  {
    name: 'chat_load.integrity.untagged',
    unit: reply,
    meaning: 'Of these, those without the tag that the guard had asked for, before any reply contained one',
    read: ({ integrity }) => integrity.untagged,
  },
  {
    name: 'chat_load.integrity.checked',
    unit: reply,
    meaning: 'Replies that a check applied to, by check',
    by: 'chat_load.check',
    read: ({ integrity }) => byCheck((check) => integrity[`${check}.checked`]),
  },
  {
    name: 'chat_load.integrity.failed',
    unit: reply,
    meaning: 'Replies that broke a check, by check',
    by: 'chat_load.check',
    read: ({ integrity }) => byCheck((check) => integrity[`${check}.failed`]),
  },
  {
    name: 'chat_load.integrity.turn_faults',
    unit: turn,
    meaning: "What was wrong with the agent's own list of turns",
    by: 'chat_load.fault',
    read: ({ integrity }) => ({
      lost: integrity['turns.lost'],
      duplicated: integrity['turns.duplicated'],
      reordered: integrity['turns.reordered'],
      repeated: integrity['turns.repeated'],
    }),
  },
  {
    name: 'chat_load.integrity.checked_after_ambiguous_retry',
    unit: reply,
    meaning: 'Replies checked in sessions with an ambiguous retry before them',
    read: ({ integrity }) => integrity['ambiguous.checked'],
  },
  {
    name: 'chat_load.integrity.failed_after_ambiguous_retry',
    unit: reply,
    meaning: 'Of these, those that broke a check',
    read: ({ integrity }) => integrity['ambiguous.failed'],
  },
  {
    name: 'chat_load.spending.cost',
    unit: '{currency}',
    meaning: "What replies cost, in the scenario's currency; only where the scenario says it",
    read: ({ spending }) => spending.costMillionths / 1e6,
    isCost: true,
  },
];

/** How many are under way: they go up and down, and belong to no phase or policy. */
export interface ExportedLevel {
  name: string;
  unit: string;
  meaning: string;
  read: (live: LiveLevels) => number;
}
export type LiveLevels = Pick<Live, 'sessionsLive' | 'turnsInFlight'>;

export const exportedLevels: readonly ExportedLevel[] = [
  {
    name: 'chat_load.session.active',
    unit: session,
    meaning: 'Live sessions',
    read: ({ sessionsLive }) => sessionsLive,
  },
  {
    name: 'chat_load.turn.active',
    unit: turn,
    meaning: 'Turns in flight, including backoffs',
    read: ({ turnsInFlight }) => turnsInFlight,
  },
];

function sessionCounts(meanings: Readonly<Record<keyof Counters['sessions'], string>>): ExportedCount[] {
  return (Object.keys(meanings) as (keyof Counters['sessions'])[]).map((name) => ({
    name: `chat_load.session.${name}`,
    unit: session,
    meaning: meanings[name],
    read: ({ sessions }) => sessions[name],
  }));
}

const byPosition = (read: (position: Position) => number): Record<string, number> =>
  Object.fromEntries(positions.map((each) => [each, read(each)]));

const byCheck = (read: (check: CheckName) => number): Record<string, number> =>
  Object.fromEntries(checkNames.map((check) => [check, read(check)]));
