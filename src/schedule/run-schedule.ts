import { later, type Ms } from '../base/time.ts';
import { numberIn } from '../plan/shard.ts';
import { runClosed } from './run-closed.ts';
import { runOpen } from './run-open.ts';
import type { Dealt, ScheduleContext, ScheduleSurroundings } from './schedule-context.ts';

/** Starts every session of the plan when it is due. Resolves when no more will start and all that did have ended. */
export async function runSchedule(around: ScheduleSurroundings): Promise<void> {
  const { plan, clock, startedAt } = around;
  const context: ScheduleContext = {
    ...around,
    lengthMs: (plan.durationMs ?? Infinity) as Ms,
    policyOf: (number) => (number - 1) % plan.retry.length,
  };
  const cancel =
    plan.durationMs === null
      ? () => undefined
      : clock.wakeAt(later(startedAt, plan.durationMs), () => {
          around.endOfDuration();
        });
  const { load } = plan;
  const dealt = await (load.model === 'open' ? runOpen(context, load) : runClosed(context, load.segments));
  cancel();
  reportUnstarted(context, dealt);
}

/** Reports sessions that were due, and those with later numbers, which belong to the end of the run. */
function reportUnstarted(
  { plan, shard, clock, observer, policyOf }: ScheduleContext,
  { count, overdue = [] }: Dealt,
): void {
  for (const group of overdue) observer.sessionsNotStarted(group);
  const dealt = count + overdue.reduce((sum, group) => sum + group.count, 0);
  const left = (plan.sessions ?? dealt) - dealt;
  const policies = plan.retry.length;
  for (let next = 1; next <= Math.min(policies, left); next++)
    observer.sessionsNotStarted({
      count: Math.ceil((left - next + 1) / policies),
      policy: policyOf(numberIn(shard, dealt + next)),
      becameDue: false,
      due: clock.now(),
    });
}
