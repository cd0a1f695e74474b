import type { AttemptClass } from '../protocol/outcome.ts';
import type { Exchange } from './send.ts';
import type { Sending } from './session-context.ts';

/** Tokens may end faster than an answer comes; beyond so many in one operation it is not the token. */
const mostRenewals = 3;

/** Whether an attempt may have been refused because its token had ended: then it is made again with the next one, whatever the policy. `renewals`: how often that was done. */
export function mayBeExpired(
  { access }: Pick<Sending, 'access'>,
  { outcome, sentAt }: { outcome: AttemptClass } & Pick<Exchange, 'sentAt'>,
  renewals: number,
): boolean {
  return access !== undefined && outcome === 'unauthorized' && renewals < mostRenewals && access.mayHaveEnded(sentAt);
}
