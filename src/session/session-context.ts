import type { ChatLoadError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import type { Plan, RetryPolicy } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import type { Quota } from '../schedule/quota.ts';
import type { StopSignal } from '../schedule/stop/stop-signal.ts';
import type { Fitness } from '../schedule/stop/fitness.ts';
import type { RunStop } from '../schedule/stop/stop-controller.ts';
import type { Sleeper } from '../schedule/sleeper.ts';
import type { Throttle } from '../schedule/throttle.ts';
import type { Watchdog } from '../schedule/stop/watchdog.ts';
import type { Judge } from '../protocol/chat-messaging/classify.ts';
import type { Guard } from './integrity/guard.ts';
import type { LiveIds } from './live-ids.ts';
import type { Observer } from './observer.ts';
import type { PriceReply } from './price-reply.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { Send } from './send.ts';
import type { Operation } from '../protocol/protocol.ts';

/** What all sessions of a run share. */
export interface SessionContext {
  plan: Plan;
  script: Script;
  send: Send;
  clock: Clock;
  stopSignal: StopSignal;
  sleeper: Sleeper;
  observer: Observer;
  /** Asked before every send, but for the first creation of a session: the schedule has taken that. */
  quota: Quota;
  watchdog: Watchdog;
  liveIds: LiveIds;
  /** Is told what goes well and what is refused. */
  throttle: Pick<Throttle, 'wentWell' | 'refused'>;
  /** Whether the target creates sessions, and answers messages. */
  fitness: Readonly<Record<Operation, Fitness>>;
  /** One entry a policy of the plan, in its order. */
  policies: readonly { policy: RetryPolicy; budget: RetryBudget | undefined }[];
  /** Waits for a place among the turns in flight, and gives what leaves it again; `undefined`: there is no bound. */
  turnPlace: (() => Promise<() => void>) | undefined;
  /** The JSON body that creates a session. */
  createBody: string;
  /** Finds the session id in the reply. */
  judgeCreation: Judge;
  /** `undefined`: nobody asks what replies cost. */
  priceReply: PriceReply | undefined;
  /** `undefined`: the integrity of conversations is not looked at. */
  guard: Guard | undefined;
  /** A 401 or 403 was seen: the run is to stop. */
  breakCircuit(why: string): void;
  /** The target never once did what is asked of it: the run is to stop. */
  leaveUnfit(found: Omit<Extract<RunStop, { kind: 'target_unfit' }>, 'kind'>): void;
  /** The scenario itself failed while running: the run is to stop. */
  abandon: (error: ChatLoadError) => void;
}
