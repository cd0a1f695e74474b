import type { Ms } from '../base/time.ts';
import { withChecks } from './check-reply.ts';
import { classify, createStatuses, judgeMessage, messageStatuses, type Judge } from './classify.ts';
import { withGuard } from './integrity/guard-reply.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import type { Exchange } from './send.ts';
import type { SessionStage } from './stage.ts';

export interface EndedAttempt {
  exchange: Exchange;
  /** Made so far, this one included. */
  attempts: number;
  /** Planned for the backoffs before it. */
  backoffMs: Ms;
  /** The same backoffs as they were. */
  lostMs: Ms;
}

/** Classifies an attempt and tells of it. What it gives is the end of the operation if no retry follows. */
export function endAttempt(
  stage: SessionStage,
  planned: OperationPlan,
  { exchange, attempts, backoffMs, lostMs }: EndedAttempt,
): OperationEnd {
  const { session, operation, turn, firstSentAt } = planned;
  const welcome = operation === 'create' ? createStatuses : messageStatuses;
  const { outcome, detail, value } = classify(exchange, welcome, judgeOf(stage, planned, exchange));
  if (outcome !== 'ok') planned.guard?.attemptFailed(turn, outcome);
  stage.observer.attempt({ session, operation, turn, countedFrom: firstSentAt, outcome, exchange, detail });
  if (outcome === 'unauthorized' || outcome === 'forbidden') stage.breakCircuit(detail);
  return { outcome, value, attempts, endedAt: exchange.endedAt, backoffMs, lostMs, gaveUp: undefined };
}

/** Made when a reply is here, and not before: sessions wait for replies in their thousands. */
function judgeOf(stage: SessionStage, planned: OperationPlan, exchange: Exchange): Judge {
  if (planned.operation === 'create') return stage.judgeCreation;
  const { checks } = stage.script;
  const contract = judgeMessage(planned.sessionId);
  const judge = planned.guard === undefined ? contract : withGuard(contract, stage, { planned, exchange });
  if (checks.length === 0) return judge;
  const { session, turn, message } = planned;
  return withChecks(judge, checks, { session: { number: session.number }, turn: { number: turn }, message });
}
