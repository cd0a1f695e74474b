import { later, type Ms } from '../base/time.ts';
import { runClosed } from './run-closed.ts';
import { runOpen } from './run-open.ts';
import type { Dealt, NotStarted, ScheduleStage, ScheduleSurroundings } from './stage.ts';

/** Starts every session of the plan when it is due. Resolves when no more will start and all that did have ended. */
export async function runSchedule(around: ScheduleSurroundings): Promise<void> {
  const { plan, clock, startedAt } = around;
  const stage: ScheduleStage = {
    ...around,
    lengthMs: (plan.durationMs ?? Infinity) as Ms,
    policyOf: (number) => (number - 1) % plan.retry.length,
  };
  const callOff =
    plan.durationMs === null
      ? () => undefined
      : clock.wakeAt(later(startedAt, plan.durationMs), () => {
          around.endOfDuration();
        });
  const { load } = plan;
  const dealt = await (load.model === 'open' ? runOpen(stage, load) : runClosed(stage, load.segments));
  callOff();
  reportUnstarted(stage, dealt);
}

function reportUnstarted(stage: ScheduleStage, { count, overdue }: Dealt): void {
  const dueCount = overdue?.count ?? 0;
  const planned = stage.plan.sessions ?? count + dueCount;
  const now = stage.clock.now();
  reportRange(stage, { from: count + 1, count: dueCount, becameDue: true, due: overdue?.first ?? now });
  reportRange(stage, { from: count + dueCount + 1, count: planned - count - dueCount, becameDue: false, due: now });
}

/** Tells a range of session numbers by policy. */
function reportRange(
  { plan, observer, policyOf }: ScheduleStage,
  range: Omit<NotStarted, 'policy'> & { from: number },
): void {
  const policies = plan.retry.length;
  for (let first = range.from; first < range.from + Math.min(policies, range.count); first++) {
    const count = Math.ceil((range.from + range.count - first) / policies);
    observer.sessionsNotStarted({ count, policy: policyOf(first), becameDue: range.becameDue, due: range.due });
  }
}
