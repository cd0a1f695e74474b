import type { LimitFunction } from 'p-limit';
import type { ChatLoadError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import type { Plan, RetryPolicy } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import type { Brake } from '../schedule/brake.ts';
import type { Sleeper } from '../schedule/sleeper.ts';
import type { Observer } from './observer.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { Send } from './send.ts';

/** What all sessions of a run share. */
export interface SessionStage {
  plan: Plan;
  script: Script;
  send: Send;
  clock: Clock;
  brake: Brake;
  sleeper: Sleeper;
  observer: Observer;
  /** One entry a policy of the plan, in its order. */
  policies: readonly { policy: RetryPolicy; budget: RetryBudget | undefined }[];
  /** Bounds the turns in flight; `undefined`: no bound. */
  turnLimit: LimitFunction | undefined;
  /** The JSON body that creates a session. */
  createBody: string;
  /** A 401 or 403 was seen: the run is to stop. */
  breakCircuit(why: string): void;
  /** The scenario itself failed while running: the run is to stop. */
  abandon(error: ChatLoadError): void;
}
