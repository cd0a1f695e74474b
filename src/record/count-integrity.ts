import type { IntegrityRecord } from '../session/observer.ts';
import { checkNames, type CheckName } from '../session/integrity/finding.ts';
import type { LiveTally } from './live-tally.ts';

/** Counts what the integrity guard found in a reply. */
export function countIntegrity({ counters: { integrity } }: LiveTally, record: IntegrityRecord): void {
  const { checked, failed, untagged, turnFaults, afterAmbiguousRetry } = record;
  integrity.replies++;
  if (untagged) integrity.untagged++;
  for (const check of checked) integrity[counterOf[check].checked]++;
  if (failed !== undefined) integrity[counterOf[failed].failed]++;
  if (turnFaults !== undefined) {
    integrity['turns.lost'] += turnFaults.lost;
    integrity['turns.duplicated'] += turnFaults.duplicated;
    integrity['turns.reordered'] += turnFaults.reordered;
    integrity['turns.repeated'] += turnFaults.repeated;
  }
  if (!afterAmbiguousRetry) return;
  integrity['ambiguous.checked']++;
  if (failed !== undefined) integrity['ambiguous.failed']++;
}

/** The names of counters, made once: this runs for every reply. */
const counterOf = Object.fromEntries(
  checkNames.map((check) => [check, { checked: `${check}.checked`, failed: `${check}.failed` }]),
) as Readonly<Record<CheckName, { checked: `${CheckName}.checked`; failed: `${CheckName}.failed` }>>;
