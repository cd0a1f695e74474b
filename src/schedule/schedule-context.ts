import type { Clock, Instant, Ms } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import type { Shard } from '../plan/shard.ts';
import type { TraceSource } from '../trace/trace.ts';
import type { StopSignal } from './stop/stop-controller.ts';
import type { Sleeper } from './sleeper.ts';
import type { Throttle } from './throttle.ts';

/** Reports of the schedule on sessions that it never started. */
export interface ScheduleObserver {
  /** Called when a session was due at the limit of live sessions, and the scenario has `drop`. */
  sessionDropped(due: Instant, policy: number): void;
  /** Sessions of one policy, and of the warm-up or not, that the run's end left unstarted. */
  sessionsNotStarted(left: NotStarted): void;
}

export interface NotStarted {
  count: number;
  policy: number;
  /** True if their due instants had passed when the run ended. */
  becameDue: boolean;
  /** Due instant of the earliest, or the run's end if they never became due. */
  due: Instant;
}

export interface ScheduleSurroundings {
  /** Plan of the shard, with its part of the counts. */
  plan: Plan;
  shard: Shard;
  clock: Clock;
  stopSignal: StopSignal;
  sleeper: Sleeper;
  throttle: Pick<Throttle, 'isHolding' | 'pass'>;
  observer: ScheduleObserver;
  /** The trace that open load replays. */
  trace?: Pick<TraceSource, 'count' | 'startAt'> | undefined;
  startedAt: Instant;
  /** Reports whether one more session may be created: called once for each, just before it starts. */
  takeSession: () => boolean;
  /** Runs one session and resolves to the instant of its end; never rejects. */
  play: (number: number, due: Instant) => Promise<Instant>;
  /** Called when the duration is over: no new session starts, and the grace period begins. */
  endOfDuration: () => void;
}

export interface ScheduleContext extends ScheduleSurroundings {
  /** Time during which sessions are started; infinite without a duration. */
  lengthMs: Ms;
  /** Returns the retry policy of a session. */
  policyOf: (number: number) => number;
}

/** Sessions that were started or dropped: the first `count` of the shard. */
export interface Dealt {
  count: number;
  /** Later sessions that were due but not started when the run began to drain. */
  overdue?: readonly NotStarted[] | undefined;
}
