import type { Instant, Ms } from '../base/time.ts';
import type { AttemptClass } from '../protocol/outcome.ts';
import type { ChatRequest, Operation, Poll, Received, Reply, Verdict } from '../protocol/protocol.ts';
import type { SessionGuard } from './integrity/session-guard.ts';
import type { GiveUp, SessionOrigin } from './observer.ts';
import type { SessionHead } from './session-head.ts';
import type { ContentTimes } from './send.ts';
import { keyOf, randomOf } from '../base/random.ts';
import type { Workload } from './session-context.ts';

/** Reads what came back: a creation's reply, or one of a conversation. */
interface ReplyReader {
  read(received: Received): Verdict;
  poll?(received: Received): Poll | undefined;
}

/** A creation or a turn: what is sent, and what its replies are judged by. */
export interface OperationPlan {
  session: SessionOrigin;
  operation: Operation;
  /** From 1; 0 for a creation. */
  turn: number;
  /** The text of the turn; '' for a creation, and where the turn says what tools gave. */
  message: string;
  /** Values of the turn's variables as JSON text; '' for none. */
  variableValues: string;
  /** The number of that message, or of the one that the turn goes on with: from 1; 0 for a creation. */
  messageNumber: number;
  /** The turns since that message that said what tools gave, this one included. */
  toolTurns: number;
  request: ChatRequest;
  reader: ReplyReader;
  /** What is in its requests' heads beside; `undefined`: nothing. */
  head: SessionHead | undefined;
  /** The first attempt's send. */
  firstSentAt: Instant;
  /** Looks at the replies; `undefined` for a creation, and where nothing is looked at. */
  guard: SessionGuard | undefined;
  /** The user leaves so long after the send of an attempt, if its reply is not complete by then; `undefined`: the user stays. */
  leaveAfterMs?: Ms | undefined;
}

export interface OperationEnd {
  outcome: AttemptClass;
  /** Reason of the last attempt's outcome, in words; '' for `ok`. */
  detail: string;
  /** `undefined` unless the outcome is `ok`. */
  reply: Reply | undefined;
  attempts: number;
  endedAt: Instant;
  /** Planned for its backoffs that ended in a retry. */
  backoffMs: Ms;
  /** The same backoffs as measured. */
  lostMs: Ms;
  /** `undefined` when it ended well or was aborted in an attempt. */
  gaveUp: GiveUp | undefined;
  /** When the content of the last attempt came; `undefined`: none came in pieces. */
  content: ContentTimes | undefined;
  /** What came of a reply that its user left. */
  leftText: string;
}

const leaveKey = keyOf('abandon');

/** After how long the user of a turn leaves, drawn from the seed; `undefined`: the user stays. */
export function leaveAfter(
  { plan: { abandon }, script }: Pick<Workload, 'script'> & { plan: Pick<Workload['plan'], 'abandon'> },
  session: number,
  turn: number,
): Ms | undefined {
  if (abandon === null || randomOf(script.seed, leaveKey, turn, session)() >= abandon.share) return undefined;
  return abandon.afterMs;
}
