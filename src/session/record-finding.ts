import type { Instant } from '../base/time.ts';
import type { Finding } from './integrity/finding.ts';
import type { Observer } from './observer.ts';
import type { OperationPlan } from './operation.ts';

/** Reports what the integrity guard found in a reply. Written out, since this runs for every one. */
export function recordFinding(
  observer: Pick<Observer, 'integrity'>,
  { session, turn, messageNumber, firstSentAt }: OperationPlan,
  { finding, endedAt }: { finding: Finding; endedAt: Instant },
): void {
  const { recall } = finding;
  observer.integrity({
    session,
    turn,
    countedFrom: firstSentAt,
    endedAt,
    checked: finding.checked,
    failed: finding.failed,
    detail: finding.detail,
    untagged: finding.untagged,
    turnsBetween: recall === undefined ? undefined : messageNumber - recall.sinceTurn,
    retriesBetween: recall?.retries,
    idleMs: recall?.idleMs,
    turnFaults: finding.turnFaults,
    afterAmbiguousRetry: finding.afterAmbiguousRetry,
  });
}
