import type { Ms } from '../base/time.ts';
import { withChecks } from './check-reply.ts';
import {
  classify,
  createStatuses,
  judgeMessage,
  messageStatuses,
  type Judge,
} from '../protocol/chat-messaging/classify.ts';
import { withGuard } from './integrity/guard-reply.ts';
import { isRefusal } from './is-refusal.ts';
import { judgeFitness } from './judge-fitness.ts';
import type { AttemptRecord } from './observer.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import { withPrice, type Price } from './price-reply.ts';
import type { Exchange } from './send.ts';
import type { SessionContext } from './session-context.ts';

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
  context: SessionContext,
  planned: OperationPlan,
  { exchange, attempts, backoffMs, lostMs }: EndedAttempt,
): OperationEnd {
  const { session, operation, turn, message, firstSentAt } = planned;
  const welcome = operation === 'create' ? createStatuses : messageStatuses;
  const price = context.priceReply === undefined ? free : { millionths: 0 };
  const { outcome, detail, value } = classify(exchange, welcome, judgeOf(context, planned, { exchange, price }));
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
  context.observer.attempt(record);
  context.watchdog.attemptEnded(record);
  if (!context.fitness[operation].isKnown) judgeFitness(context, planned, { outcome, detail, exchange });
  if (isRefusal(context, session, outcome)) context.throttle.refused(operation);
  else if (outcome === 'ok' || outcome === 'check_failed') context.throttle.wentWell(operation);
  if (outcome === 'unauthorized' || outcome === 'forbidden') context.breakCircuit(detail);
  return { outcome, value, attempts, endedAt: exchange.endedAt, backoffMs, lostMs, gaveUp: undefined };
}

/** Made when a reply is here, and not before: sessions wait for replies in their thousands. */
function judgeOf(
  context: SessionContext,
  planned: OperationPlan,
  { exchange, price }: { exchange: Exchange; price: Price },
): Judge {
  if (planned.operation === 'create') return context.judgeCreation;
  const { checks } = context.script;
  const contract = withPrice(judgeMessage(planned.sessionId), context, { planned, price });
  const judge = planned.guard === undefined ? contract : withGuard(contract, context, { planned, exchange });
  if (checks.length === 0) return judge;
  const { session, turn, message } = planned;
  const replyContext = { session: { number: session.number }, turn: { number: turn }, message };
  return withChecks(judge, { checks, context: replyContext, abandon: context.abandon });
}
