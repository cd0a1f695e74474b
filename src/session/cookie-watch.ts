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

  /** Takes a message that ended: its class, and the check of the guard that its reply broke. */
  ended(outcome: AttemptClass, failed: CheckName | undefined): void {
    if (outcome === 'not_found' || ofLostConversations.includes(failed)) this.lost++;
  }
}
