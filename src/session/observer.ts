import type { Instant, Ms } from '../base/time.ts';
import type { ScheduleObserver } from '../schedule/schedule-context.ts';
import type { AttemptClass, FinishedClass, SessionEnd, TurnClass } from '../protocol/outcome.ts';
import type { Finding } from './integrity/finding.ts';
import type { ContentTimes, Exchange } from './send.ts';
import type { Operation, Usage } from '../protocol/protocol.ts';
import type { SessionTally } from './session-tally.ts';

/** Fields shared by all records of one session. `policy` is the index of its retry policy in the plan. */
export interface SessionOrigin {
  /** From 1. */
  number: number;
  policy: number;
  /** When the schedule asked for it (closed load: when its slot was free). */
  due: Instant;
  /** Send of its first create attempt. */
  startedAt: Instant;
}

/** One attempt, of a turn or of a creation, when it has ended. */
export interface AttemptRecord {
  session: SessionOrigin;
  operation: Operation;
  /** From 1; 0 for a creation. */
  turn: number;
  /** Number within its turn or creation, from 1. */
  attempt: number;
  /** When its turn was first sent (a creation: when its session started): decides whether it is warm-up. */
  countedFrom: Instant;
  outcome: AttemptClass;
  exchange: Exchange;
  /** Reason for the outcome; '' for `ok`. */
  detail: string;
  /** The text of the turn; '' for a creation. */
  message: string;
  /** Trace ID; `undefined`: not traced. */
  traceId?: string | undefined;
  /** Cost of its reply, in millionths of the scenario's currency; 0 if costs are not computed. */
  costMillionths: number;
  /** Size of the request's body. */
  requestBytes?: number | undefined;
  /** Token usage as reported in its reply; set for every conforming reply. */
  usage?: Usage | undefined;
  /** True if its streamed reply ended without the protocol's terminator. */
  lacksDone?: boolean | undefined;
}

/** Handling of a `Retry-After`: waited at least as long, retried earlier, absent, or invalid or in the past. */
export type RetryAfterUse = 'obeyed' | 'violated' | 'absent' | 'invalid';

/** One backoff that ended in a retry, reported when the retry is sent. */
export interface RetryRecord {
  session: SessionOrigin;
  operation: Operation;
  countedFrom: Instant;
  /** The class of the attempt that is being retried. */
  cause: FinishedClass;
  plannedMs: Ms;
  actualMs: Ms;
  retryAfter: RetryAfterUse;
  /** The retry's send: when the backoff ended. */
  sentAt: Instant;
  /** True if the attempt that is retried had already received content. */
  afterContent?: boolean | undefined;
}

/**
 * Reason why a failed operation was not retried: its class is final, its attempts are used up, `Retry-After` exceeded
 * `maxRetryAfter`, the retry budget refused, or the run had ended.
 */
export type GiveUp = 'final' | 'exhausted' | 'retry_after_too_long' | 'budget' | 'run_end';

/** One turn that was sent, when it has ended. */
export interface TurnRecord {
  session: SessionOrigin;
  /** From 1. */
  turn: number;
  /** The instant a person would count from: the session's due instant for turn 1, else `ready`. */
  due: Instant;
  /** The session was created, or the turn before had ended and its think time was over. */
  ready: Instant;
  firstSentAt: Instant;
  endedAt: Instant;
  outcome: TurnClass;
  attempts: number;
  /** The time planned for its backoffs that ended in a retry. */
  backoffMs: Ms;
  /** True if it sends tool results instead of a message. */
  saysToolResults?: boolean | undefined;
  /** Content events of its last attempt; `undefined`: not a streamed reply with content. */
  content?: ContentTimes | undefined;
  /** Token usage of an ok turn, as reported in its reply. */
  usage?: Usage | undefined;
  /** `undefined` for a turn that was ok or was aborted in an attempt; one aborted in a backoff gave up as the run ended. */
  gaveUp: GiveUp | undefined;
}

/** A session that was started, when it has ended. */
export interface SessionRecord {
  session: SessionOrigin;
  end: SessionEnd;
  endedAt: Instant;
  /** Turns that were planned and never sent, by why; 0 for a session that was not created. */
  skippedPriorFailure: number;
  skippedRunEnd: number;
  /** Turns planned; counted in the books only when the session was created. */
  plannedTurns: number;
  /** Counts of its sent turns. */
  tally: Readonly<SessionTally>;
}

/** Finding of the integrity guard on a conforming reply. */
export interface IntegrityRecord extends Omit<Finding, 'recall'> {
  session: SessionOrigin;
  /** From 1. */
  turn: number;
  /** When its turn was first sent: decides whether it is warm-up. */
  countedFrom: Instant;
  endedAt: Instant;
  /** Turns and retries since the code was sent or last recalled, and the longest idle time; for a failed recall. */
  turnsBetween: number | undefined;
  retriesBetween: number | undefined;
  idleMs: Ms | undefined;
}

/** Events of sessions and the schedule during a run. Calls are cheap and never throw. */
export interface Observer extends ScheduleObserver {
  /** A session's first create attempt was sent. */
  sessionStarted(session: SessionOrigin): void;
  /** A session's id is in hand. */
  sessionCreated(session: SessionOrigin, createdAt: Instant): void;
  /** A session begins whose protocol creates none: nothing was asked for it. */
  sessionBegun(session: SessionOrigin): void;
  /** A turn's first attempt was sent: its lateness is known. */
  turnSent(session: SessionOrigin, ready: Instant, sentAt: Instant): void;
  attempt(record: AttemptRecord): void;
  /** Called after the integrity guard checked a conforming reply; its attempt follows. */
  integrity(record: IntegrityRecord): void;
  retry(record: RetryRecord): void;
  /** A creation that was not tried again after failing; `end` of its session follows. */
  createGaveUp(session: SessionOrigin, why: GiveUp, endedAt: Instant): void;
  turn(record: TurnRecord): void;
  sessionEnded(record: SessionRecord): void;
}
