import type { AttemptClass } from '../protocol/outcome.ts';
import type { CheckName } from './integrity/finding.ts';

/** Checks of the guard that a lost conversation breaks. */
const ofLostConversations: readonly (CheckName | undefined)[] = ['restarted', 'turns', 'continuity', 'amnesia'];

/** A message that ended without an ok reply. */
export interface EndedMessage {
  outcome: AttemptClass;
  detail: string;
  /** The check of the guard that the reply broke. */
  failed: CheckName | undefined;
  /** True if the service has had the conversation. */
  isKnown: boolean;
}

/** Reports whether the service did not know the conversation of a message: a cookie may name the replica that has it. */
export function losesConversation({ outcome, detail, failed, isKnown }: EndedMessage): boolean {
  if (ofLostConversations.includes(failed)) return true;
  return isKnown && (outcome === 'not_found' || refusesConversation(detail));
}

/** Reports whether the reason of a refusal is that the service does not have the conversation. */
function refusesConversation(detail: string): boolean {
  const text = detail.slice(0, maxDetail);
  return /^status 410\b/.test(text) || unknown.some((pattern) => pattern.test(text));
}

const maxDetail = 400;
const unknown = [
  /(?:conversation|session|thread|chat|previous.?response).{0,60}(?:not.?found|unknown|gone|expired|no longer|does not exist)/i,
  /(?:unknown|no such|expired) (?:conversation|session|thread|chat)/i,
];
