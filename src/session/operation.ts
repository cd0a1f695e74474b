import type { Instant, Ms } from '../base/time.ts';
import type { AttemptClass } from '../wire/outcome.ts';
import type { GiveUp, SessionOrigin } from './observer.ts';
import type { Operation } from './send.ts';

/** A creation or a turn: what is sent, and what its replies are judged by. */
export interface OperationPlan {
  session: SessionOrigin;
  operation: Operation;
  /** From 1; 0 for a creation. */
  turn: number;
  /** '' for a creation. */
  sessionId: string;
  /** The text of the turn; '' for a creation. */
  message: string;
  body: string;
  /** The first attempt's send. */
  firstSentAt: Instant;
}

export interface OperationEnd {
  outcome: AttemptClass;
  /** What the judge took from an ok reply. */
  value: string;
  attempts: number;
  endedAt: Instant;
  backoffMs: Ms;
  /** `undefined` when it ended well or was aborted. */
  gaveUp: GiveUp | undefined;
}
