import type { Ms } from '../base/time.ts';
import { withChecks } from './check-reply.ts';
import { classify, createStatuses, judgeMessage, messageStatuses, type Judge } from './classify.ts';
import { withGuard } from './integrity/guard-reply.ts';
import { isRefusal } from './is-refusal.ts';
import { judgeFitness } from './judge-fitness.ts';
import type { AttemptRecord } from './observer.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import { withPrice, type Price } from './price-reply.ts';
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

const free: Price = { millionths: 0 };

/** Classifies an attempt and tells of it. What it gives is the end of the operation if no retry follows. */
export function endAttempt(
  stage: SessionStage,
  planned: OperationPlan,
  { exchange, attempts, backoffMs, lostMs }: EndedAttempt,
): OperationEnd {
  const { session, operation, turn, message, firstSentAt } = planned;
  const welcome = operation === 'create' ? createStatuses : messageStatuses;
  const price = stage.priceReply === undefined ? free : { millionths: 0 };
  const { outcome, detail, value } = classify(exchange, welcome, judgeOf(stage, planned, { exchange, price }));
  if (outcome !== 'ok') planned.guard?.attemptFailed(turn, outcome);
  const costMillionths = price.millionths;
  const record: AttemptRecord = {
    session,
    operation,
    turn,
    attempt: attempts,
    countedFrom: firstSentAt,
    outcome,
    exchange,
    detail,
    message,
    costMillionths,
  };
  stage.observer.attempt(record);
  stage.watchdog.attemptEnded(record);
  if (!stage.fitness[operation].isKnown) judgeFitness(stage, planned, { outcome, detail, exchange });
  if (isRefusal(stage, session, outcome)) stage.throttle.refused(operation);
  else if (outcome === 'ok' || outcome === 'check_failed') stage.throttle.wentWell(operation);
  if (outcome === 'unauthorized' || outcome === 'forbidden') stage.breakCircuit(detail);
  return { outcome, value, attempts, endedAt: exchange.endedAt, backoffMs, lostMs, gaveUp: undefined };
}

/** Made when a reply is here, and not before: sessions wait for replies in their thousands. */
function judgeOf(
  stage: SessionStage,
  planned: OperationPlan,
  { exchange, price }: { exchange: Exchange; price: Price },
): Judge {
  if (planned.operation === 'create') return stage.judgeCreation;
  const { checks } = stage.script;
  const contract = withPrice(judgeMessage(planned.sessionId), stage, { planned, price });
  const judge = planned.guard === undefined ? contract : withGuard(contract, stage, { planned, exchange });
  if (checks.length === 0) return judge;
  const { session, turn, message } = planned;
  const context = { session: { number: session.number }, turn: { number: turn }, message };
  return withChecks(judge, { checks, context, abandon: stage.abandon });
}
