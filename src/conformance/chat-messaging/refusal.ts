import { creationRules, messageRules } from '../../protocol/chat-messaging/reply-rules.ts';
import { classifyWhole, type WholeRules } from '../../protocol/classify-whole.ts';
import type { FinishedClass } from '../../protocol/outcome.ts';
import type { Refusal } from '../exchanges.ts';
import type { Answer } from '../post.ts';

export function refusedCreation(answer: Answer, sessionIdFrom: string): Refusal {
  return {
    operation: 'create',
    outcome: classOf(answer, creationRules(sessionIdFrom)),
  };
}

/** Every success status is an answer: other rules judge whether the reply keeps the contract. */
export function refusedMessage(answer: Answer, sessionId: string): Refusal {
  return {
    operation: 'message',
    outcome: classOf(answer, { ...messageRules, welcome: [] }, sessionId),
  };
}

function classOf(answer: Answer, rules: WholeRules, sessionId?: string): FinishedClass {
  const { outcome } = classifyWhole({ ...answer, isUtf8: true }, rules, sessionId);
  return outcome === 'aborted' ? 'connection_lost' : outcome;
}
