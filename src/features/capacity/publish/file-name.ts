import { resultFileName } from '../../../result/file-name.ts';
import type { Capacity } from '../document/capacity.ts';

/** Returns the file name of a capacity document: `<scenario>-capacity-<UTC start>[-label].json`. */
export function capacityFileName({
  scenario,
  startedAt,
  label,
}: Pick<Capacity, 'scenario' | 'startedAt' | 'label'>): string {
  return resultFileName({ scenario: `${scenario.name}-capacity`, startedAt, label });
}
