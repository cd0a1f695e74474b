import { between, later, type Ms } from '../base/time.ts';
import type { NotStarted, ScheduleContext } from './schedule-context.ts';

/**
 * Counts the sessions that had become due before now, of those from number `from` on, which are due at `offsets`: by
 * retry policy, and those of the warm-up apart, since each belongs to its own due instant. Whatever their number, no
 * more is kept than two counts per policy.
 */
export function countOverdue(
  { plan, clock, startedAt, lengthMs, policyOf }: ScheduleContext,
  { from, offsets }: { from: number; offsets: Iterable<Ms> },
): NotStarted[] {
  const now = clock.now();
  const groups = new Map<string, NotStarted>();
  let number = from;
  for (const offset of offsets) {
    const due = later(startedAt, offset);
    if (due >= now || offset >= lengthMs || number > (plan.sessions ?? Infinity)) break;
    const policy = policyOf(number);
    const isWarmUp = between(startedAt, due) < plan.warmUpMs;
    const key = `${String(policy)} ${String(isWarmUp)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { count: 1, policy, becameDue: true, due });
    else group.count += 1;
    number += 1;
  }
  return [...groups.values()];
}
