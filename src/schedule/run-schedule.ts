import { later, type Clock, type Instant, type Ms } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import type { Brake } from './brake.ts';
import { runClosed } from './run-closed.ts';
import { runOpen } from './run-open.ts';
import type { Sleeper } from './sleeper.ts';

/** What the schedule tells of sessions that it never started. */
export interface ScheduleObserver {
  /** A session was due while the bound on live sessions was reached, and the scenario says `drop`. */
  sessionDropped(due: Instant, policy: number): void;
  /** Planned sessions of one policy that the run's end left unstarted. */
  sessionsNotStarted(left: NotStarted): void;
}

export interface NotStarted {
  count: number;
  policy: number;
  /** Whether their due instants had passed when the run ended. */
  becameDue: boolean;
  /** The due instant of the earliest, or the run's end where they never became due. */
  due: Instant;
}

export interface ScheduleSurroundings {
  plan: Plan;
  clock: Clock;
  brake: Brake;
  sleeper: Sleeper;
  observer: ScheduleObserver;
  startedAt: Instant;
  /** Plays one session to its end and resolves to the instant of it; never rejects. */
  play: (number: number, due: Instant) => Promise<Instant>;
  /** The duration is over: no new session starts, and the grace period begins. */
  endOfDuration: () => void;
}

export interface ScheduleStage extends ScheduleSurroundings {
  /** For how long sessions are started; infinite without a duration. */
  lengthMs: Ms;
  /** The retry policy to which a session is dealt. */
  policyOf: (number: number) => number;
}

/** The sessions that were dealt out: started or dropped, numbers 1 to `count`. */
export interface Dealt {
  count: number;
  /** Those behind them that were due and had not been started when the run was told to drain. */
  overdue?: { count: number; first: Instant } | undefined;
}

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
  range: { from: number; count: number; becameDue: boolean; due: Instant },
): void {
  const policies = plan.retry.length;
  for (let first = range.from; first < range.from + Math.min(policies, range.count); first++) {
    const count = Math.ceil((range.from + range.count - first) / policies);
    observer.sessionsNotStarted({ count, policy: policyOf(first), becameDue: range.becameDue, due: range.due });
  }
}
