import type { Instant, Ms } from '../base/time.ts';
import type { AttemptClass } from '../protocol/outcome.ts';
import type { ChatRequest, Listener, Operation, Poll, Received, Reply, Verdict } from '../protocol/protocol.ts';
import type { SessionGuard } from './integrity/session-guard.ts';
import type { GiveUp, SessionOrigin } from './observer.ts';
import type { SessionHead } from './session-head.ts';
import type { StatedWait } from './stated-wait.ts';
import type { ContentTimes } from './send.ts';
import { keyOf, randomOf } from '../base/random.ts';
import type { Workload } from '../plan/script.ts';

/** Parses a response: a creation's reply, or a reply in a conversation. */
interface ReplyReader {
  read(received: Received): Verdict;
  poll?(received: Received): Poll | undefined;
  readonly listener?: Listener;
}

/** A creation or a turn: its request, and the checks of its replies. */
export interface OperationPlan {
  session: SessionOrigin;
  operation: Operation;
  /** From 1; 0 for a creation. */
  turn: number;
  /** Text of the turn; '' for a creation, and for a turn that sends tool results. */
  message: string;
  /** Values of the turn's variables as JSON text; '' for none. */
  variableValues: string;
  /** Number of that message, or of the message before the tool results: from 1; 0 for a creation. */
  messageNumber: number;
  /** Number of turns with tool results since that message, this one included. */
  toolTurns: number;
  request: ChatRequest;
  reader: ReplyReader;
  /** Additional request headers; `undefined`: none. */
  head: SessionHead | undefined;
  /** The first attempt's send. */
  firstSentAt: Instant;
  /** Checks the replies; `undefined` for a creation, and without checks. */
  guard: SessionGuard | undefined;
  /** Time after the send of an attempt at which the user leaves an incomplete reply; `undefined`: the user stays. */
  leaveAfterMs?: Ms | undefined;
}

export interface OperationEnd {
  outcome: AttemptClass;
  /** Reason for the last attempt's outcome; '' for `ok`. */
  detail: string;
  /** `undefined` unless the outcome is `ok`. */
  reply: Reply | undefined;
  attempts: number;
  endedAt: Instant;
  /** Planned durations of its backoffs that ended in a retry. */
  backoffMs: Ms;
  /** Measured durations of these backoffs. */
  lostMs: Ms;
  /** Known cost of its attempts. */
  costNanos: number;
  /** `undefined` if it was ok or aborted in an attempt. */
  gaveUp: GiveUp | undefined;
  /** Content events of the last attempt; `undefined`: not a streamed reply with content. */
  content: ContentTimes | undefined;
  /** Received text of an abandoned reply. */
  leftText: string;
  /** True if the next attempt sends what the last one lacked. */
  canResend?: boolean;
  /** Wait that the last attempt stated, if it failed. */
  asked: StatedWait;
}

const leaveKey = keyOf('abandon');

/** Returns the time after which the user of a turn leaves, drawn from the seed; `undefined`: the user stays. */
export function leaveAfter({ plan: { abandon }, script }: Workload, session: number, turn: number): Ms | undefined {
  if (abandon === null || randomOf(script.seed, leaveKey, turn, session)() >= abandon.share) return undefined;
  return abandon.afterMs;
}
