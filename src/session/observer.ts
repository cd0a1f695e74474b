import type { Instant, Ms } from '../base/time.ts';
import type { ScheduleObserver } from '../schedule/schedule-context.ts';
import type { Finish } from '../protocol/finish.ts';
import type { Note } from '../protocol/notes.ts';
import type { AttemptClass, FinishedClass, SessionEnd, TurnClass } from '../protocol/outcome.ts';
import type { ComparedTexts } from './cache-watch.ts';
import type { Finding } from './integrity/finding.ts';
import type { ContentTimes, Exchange } from './send.ts';
import type { Price } from '../plan/prices.ts';
import type { Operation, Usage } from '../protocol/protocol.ts';
import type { SessionTally } from './session-tally.ts';

/** Fields shared by all records of one session. `policy` is the index of its retry policy in the plan. */
export interface SessionOrigin {
  /** From 1. */
  number: number;
  policy: number;
  /** Due instant of the schedule (closed load: the instant at which its slot was free). */
  due: Instant;
  /** Send of its first create attempt. */
  startedAt: Instant;
  /** ID that the service gave to the session. */
  id?: string;
  /** End of its latest attempt that the service may still work on; `undefined`: none since the last ok turn. */
  unfinished?: Unfinished | undefined;
}

/** End of an attempt that its client did not await. */
export type Unfinished = 'timed out' | 'was abandoned' | 'lost its connection' | 'ended at the gateway';

/** A finished attempt of a turn or of a creation. */
export interface AttemptRecord {
  session: SessionOrigin;
  operation: Operation;
  /** From 1; 0 for a creation. */
  turn: number;
  /** Number within its turn or creation, from 1. */
  attempt: number;
  /** First send of its turn (for a creation, the session's start): decides whether it is warm-up. */
  countedFrom: Instant;
  outcome: AttemptClass;
  exchange: Exchange;
  /** Reason for the outcome; '' for `ok`. */
  detail: string;
  /** The text of the turn; '' for a creation. */
  message: string;
  /** Trace ID; `undefined`: not traced. */
  traceId?: string | undefined;
  /** Cost of the attempt; `undefined`: costs are not computed. */
  price?: Price | undefined;
  /** Size of the request's body. */
  requestBytes?: number | undefined;
  /** Token usage as reported in its reply, or in the received part of it. */
  usage?: Usage | undefined;
  /** True if its streamed reply ended without the protocol's terminator. */
  lacksDone?: boolean | undefined;
  /** Deviations of its reply that no client notices. */
  notes?: readonly Note[] | undefined;
  /** True if the service may still work on an earlier attempt of its session, and no turn was ok since. */
  followsUnfinished?: boolean | undefined;
  /** The field of a retried class that stated a wait which could not be read, as `name: value`; `undefined`: there is none. */
  unreadWait?: string | undefined;
  /** Observations for the warnings of the run; `undefined`: none. */
  signs?: AttemptSigns | undefined;
}

/** Observations on an attempt that warnings of the run state, with the counts of the whole run. */
export interface AttemptSigns {
  /** True if the response sets a cookie, and cookies are not kept. */
  ignoresCookie: boolean;
  /** True if the service did not know the conversation. */
  isLostConversation: boolean;
  /** Number of cookies that did not fit into the jar of the session. */
  cookiesDropped: number;
  /** Field with which a cache marked an ok reply. */
  cacheMark: string | undefined;
  /** Replies to texts that were new to the run, each with the repeated one next to it. */
  comparedTexts: readonly ComparedTexts[];
}

/** Handling of a stated wait, such as `Retry-After`: waited at least as long, retried earlier, absent, or invalid or in the past. */
export type RetryAfterUse = 'obeyed' | 'violated' | 'absent' | 'invalid';

/** A backoff that ended in a retry, reported when the retry is sent. */
export interface RetryRecord {
  session: SessionOrigin;
  operation: Operation;
  countedFrom: Instant;
  /** The class of the attempt that is being retried. */
  cause: FinishedClass;
  plannedMs: Ms;
  actualMs: Ms;
  retryAfter: RetryAfterUse;
  /** Send of the retry, at the end of the backoff. */
  sentAt: Instant;
  /** True if the attempt that is retried had already received content. */
  afterContent?: boolean | undefined;
  /** True if the attempt that is retried may have been performed; omitted: its class decides. */
  isAmbiguous?: boolean | undefined;
}

/**
 * Reason why a failed operation was not retried: its class is final, its attempts are used up, `Retry-After` exceeded
 * `maxRetryAfter`, the retry budget refused, or the run had ended.
 */
export type GiveUp = 'final' | 'exhausted' | 'retry_after_too_long' | 'budget' | 'run_end';

/** A sent turn that has ended. */
export interface TurnRecord {
  session: SessionOrigin;
  /** From 1. */
  turn: number;
  /** Start of the latency as a user counts it: the session's due instant for turn 1, otherwise `ready`. */
  due: Instant;
  /** End of the session's creation, or of the think time after the previous turn. */
  ready: Instant;
  firstSentAt: Instant;
  endedAt: Instant;
  outcome: TurnClass;
  attempts: number;
  /** Planned durations of its backoffs that ended in a retry. */
  backoffMs: Ms;
  /** True if it sends tool results instead of a message. */
  saysToolResults?: boolean | undefined;
  /** Content events of its last attempt; `undefined`: not a streamed reply with content. */
  content?: ContentTimes | undefined;
  /** Token usage of an ok turn, as reported in its reply. */
  usage?: Usage | undefined;
  /** End that the reply of an ok turn states; omitted: none. */
  finish?: Finish | undefined;
  /** True for an ok turn whose reply has neither text nor a tool call. */
  isEmpty?: boolean | undefined;
  /** `undefined` for a turn that was ok or was aborted in an attempt; one aborted in a backoff gave up as the run ended. */
  gaveUp: GiveUp | undefined;
}

/** A started session that has ended. */
export interface SessionRecord {
  session: SessionOrigin;
  end: SessionEnd;
  endedAt: Instant;
  /** Planned turns that were never sent, by reason; 0 for a session that was not created. */
  skippedPriorFailure: number;
  skippedRunEnd: number;
  /** Planned turns; counted in the books only if the session was created. */
  plannedTurns: number;
  /** Counts of its sent turns. */
  tally: Readonly<SessionTally>;
}

/** Finding of the integrity guard on a conforming reply. */
export interface IntegrityRecord extends Omit<Finding, 'recall'> {
  session: SessionOrigin;
  /** From 1. */
  turn: number;
  /** First send of its turn: decides whether it is warm-up. */
  countedFrom: Instant;
  endedAt: Instant;
  /** Turns and retries since the code was sent or last recalled, and the longest idle time; for a failed recall. */
  turnsBetween: number | undefined;
  retriesBetween: number | undefined;
  idleMs: Ms | undefined;
}

/** Events of sessions and the schedule during a run. Calls are cheap and never throw. */
export interface Observer extends ScheduleObserver {
  /** Called when a session's first create attempt is sent. */
  sessionStarted(session: SessionOrigin): void;
  /** Called when a session has its ID. */
  sessionCreated(session: SessionOrigin, createdAt: Instant): void;
  /** Called when a session begins whose protocol has no creation: no request was sent for it. */
  sessionBegun(session: SessionOrigin): void;
  /** Called when a turn's first attempt is sent: its lateness is known. */
  turnSent(session: SessionOrigin, ready: Instant, sentAt: Instant): void;
  attempt(record: AttemptRecord): void;
  /** Called after the integrity guard checked a conforming reply; its attempt follows. */
  integrity(record: IntegrityRecord): void;
  retry(record: RetryRecord): void;
  /** Called when a failed creation is not retried; `sessionEnded` follows. */
  createGaveUp(session: SessionOrigin, why: GiveUp, endedAt: Instant): void;
  turn(record: TurnRecord): void;
  sessionEnded(record: SessionRecord): void;
  /** Called when the socket of a session was opened or closed. */
  socketsChanged(by: 1 | -1, at: Instant): void;
  /** Called for every frame of a reply that no attempt awaits. */
  unsolicitedFrame(session: SessionOrigin, at: Instant): void;
}
