import type { ChatLoadError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import type { Access } from '../plan/settle-auth.ts';
import type { Plan, RetryPolicy } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import type { ChatApi, Operation } from '../protocol/protocol.ts';
import type { Quota } from '../schedule/quota.ts';
import type { StopSignal } from '../schedule/stop/stop-signal.ts';
import type { Fitness, Unusable } from '../schedule/stop/fitness.ts';
import type { Sleeper } from '../schedule/sleeper.ts';
import type { Throttle } from '../schedule/throttle.ts';
import type { Watchdog } from '../schedule/stop/watchdog.ts';
import type { Guard } from './integrity/guard.ts';
import type { LiveIds } from './live-ids.ts';
import type { Observer } from './observer.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { Send } from './send.ts';
import type { HeadSources } from './session-head.ts';
import type { Spending } from './spending.ts';

/** What is played. */
export interface Workload {
  plan: Plan;
  script: Script;
}

/** How it is spoken to the target. */
export interface Protocol {
  api: ChatApi;
}

/** What attempts are sent through. */
export interface Sending {
  send: Send;
  policies: Policies;
  /** What authorizes attempts, where it is renewed; `undefined`: it stays the same. */
  access?: Access | undefined;
}

/** One entry a policy of the plan, in its order. */
export type Policies = readonly { policy: RetryPolicy; budget: RetryBudget | undefined }[];

/** What waits, and what ends a wait. */
interface Waiting {
  clock: Clock;
  stopSignal: StopSignal;
  sleeper: Sleeper;
}

/** What bounds a run. */
export interface Bounds {
  /** Asked before every send, but for the first creation of a session: the schedule has taken that. */
  quota: Quota;
  /** Adds up what replies cost. */
  spending: Spending;
}

/** Called when an attempt has ended. */
export interface AttemptListeners extends TargetFitness {
  observer: Observer;
  watchdog: Pick<Watchdog, 'attemptEnded'>;
  /** Given what is ok and what is refused. */
  throttle: Pick<Throttle, 'wentWell' | 'refused'>;
  /** A 401 or 403 was seen: the run is to stop. */
  breakCircuit(why: string): void;
  /** The scenario itself failed while running: the run is to stop. */
  abandon: (error: ChatLoadError) => void;
}

/** Whether the target works at all. */
export interface TargetFitness {
  plan: Pick<Plan, 'target'>;
  policies: Policies;
  /** Whether the target creates sessions, and answers messages. */
  fitness: Readonly<Record<Operation, Fitness>>;
  /** The target never worked: the run is to stop. */
  leaveUnfit(found: UnfitTarget): void;
}

/** A target that never performed an operation. */
export interface UnfitTarget extends Unusable {
  operation: Operation;
}

/** What a creation or a turn is played with, retries included. */
export type OperationContext = Workload & Sending & Waiting & Bounds & AttemptListeners;

/** The inputs of a live session and its reports. */
export interface SessionSurroundings extends Workload, Protocol {
  clock: Clock;
  stopSignal: StopSignal;
  quota: Quota;
  observer: Observer;
  liveIds: LiveIds;
  /** `undefined`: the integrity of conversations is not looked at. */
  guard: Guard | undefined;
  abandon: AttemptListeners['abandon'];
  /** `undefined`: no request has anything in its head that others have not. */
  heads: HeadSources | undefined;
}

/** What all sessions of a run share. */
export type SessionContext = OperationContext &
  SessionSurroundings & {
    /** Waits for a place among the turns in flight, and returns a function that frees it; `undefined`: there is no bound. */
    turnPlace: (() => Promise<() => void>) | undefined;
  };
