import type { MessageResult } from '../../protocol/chat-messaging/api.ts';
import type { Judge } from '../../protocol/chat-messaging/classify.ts';
import type { OperationPlan } from '../operation.ts';
import type { Exchange } from '../send.ts';
import type { SessionContext } from '../session-context.ts';

/** A judge that lets a reply which keeps the contract through the integrity guard, and tells what that found. */
export function withGuard(
  judge: Judge,
  context: SessionContext,
  { planned, exchange }: { planned: OperationPlan; exchange: Exchange },
): Judge {
  return (envelope) => {
    const judged = judge(envelope);
    const { guard, session, turn, firstSentAt: countedFrom } = planned;
    if (guard === undefined || !('value' in judged)) return judged;
    const finding = guard.examine(turn, envelope.data as MessageResult);
    const { failed, detail, recall } = finding;
    // Written out, since this runs for every reply.
    context.observer.integrity({
      session,
      turn,
      countedFrom,
      endedAt: exchange.endedAt,
      checked: finding.checked,
      failed,
      detail,
      untagged: finding.untagged,
      turnsBetween: recall === undefined ? undefined : turn - recall.sinceTurn,
      retriesBetween: recall?.retries,
      idleMs: recall?.idleMs,
      turnFaults: finding.turnFaults,
      afterAmbiguousRetry: finding.afterAmbiguousRetry,
    });
    return failed === undefined ? judged : { failedCheck: `integrity check '${failed}' failed: ${detail}` };
  };
}
