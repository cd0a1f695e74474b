import { classify, createStatuses, judgeMessage, type Judge } from '../../protocol/chat-messaging/classify.ts';
import { judgeCreation } from '../../protocol/judge-creation.ts';
import type { FinishedClass } from '../../protocol/outcome.ts';
import type { Refusal } from '../exchanges.ts';
import type { Answer } from '../post.ts';

export function refusedCreation(answer: Answer, sessionIdFrom: string): Refusal {
  return {
    operation: 'create',
    outcome: classOf(answer, createStatuses, judgeCreation(sessionIdFrom)),
  };
}

/** Every success status is an answer: other rules judge whether the reply keeps the contract. */
export function refusedMessage(answer: Answer, sessionId: string): Refusal {
  return {
    operation: 'message',
    outcome: classOf(answer, [], judgeMessage(sessionId)),
  };
}

function classOf(answer: Answer, welcome: readonly number[], judge: Judge): FinishedClass {
  const { outcome } = classify({ ...answer, isUtf8: true }, welcome, judge);
  return outcome === 'aborted' ? 'connection_lost' : outcome;
}
