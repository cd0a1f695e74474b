import type { AttemptClass } from '../protocol/outcome.ts';
import type { CheckName } from './integrity/finding.ts';

/** Checks of the guard that a lost conversation breaks. */
const ofLostConversations: readonly (CheckName | undefined)[] = ['restarted', 'turns', 'continuity', 'amnesia'];

/** Counts lost conversations next to cookies that are not sent back: a cookie may name the replica that has the conversation. */
export class CookieWatch {
  /** True if the service sets a cookie, and cookies are not kept. */
  isIgnored = false;
  /** Number of attempts whose conversation the service did not know. */
  lost = 0;

  /** Takes a message that ended without an ok reply. `isKnown`: the service has had the conversation. */
  ended({ outcome, detail, failed, isKnown }: EndedMessage): void {
    if (ofLostConversations.includes(failed)) this.lost++;
    else if (isKnown && (outcome === 'not_found' || refusesConversation(detail))) this.lost++;
  }
}

interface EndedMessage {
  outcome: AttemptClass;
  detail: string;
  /** The check of the guard that the reply broke. */
  failed: CheckName | undefined;
  isKnown: boolean;
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
