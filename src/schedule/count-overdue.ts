import { between, later } from '../base/time.ts';
import type { Arrival } from './own-arrivals.ts';
import type { NotStarted, ScheduleContext } from './schedule-context.ts';

/**
 * Counts the sessions that had become due before now, of those that are still to come: by retry policy, and those of the warm-up apart, since each belongs to its own due instant. Whatever their number, no
 * more is kept than two counts per policy.
 */
export function countOverdue(
  { plan, clock, startedAt, lengthMs, policyOf }: ScheduleContext,
  { dealt, arrivals }: { dealt: number; arrivals: Iterable<Arrival> },
): NotStarted[] {
  const now = clock.now();
  const groups = new Map<string, NotStarted>();
  let left = (plan.sessions ?? Infinity) - dealt;
  for (const { number, offset } of arrivals) {
    const due = later(startedAt, offset);
    if (due >= now || offset >= lengthMs || left === 0) break;
    const policy = policyOf(number);
    const isWarmUp = between(startedAt, due) < plan.warmUpMs;
    const key = `${String(policy)} ${String(isWarmUp)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { count: 1, policy, becameDue: true, due });
    else group.count += 1;
    left -= 1;
  }
  return [...groups.values()];
}
