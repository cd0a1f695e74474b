import type { ChatLoadError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import type { Access } from '../plan/settle-auth.ts';
import type { Plan, RetryPolicy } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import type { ChatApi, Operation, ChatProtocol } from '../protocol/protocol.ts';
import type { Quota } from '../schedule/quota.ts';
import type { StopSignal, StopController } from '../schedule/stop/stop-controller.ts';
import { Fitness, type Unusable } from '../schedule/stop/fitness.ts';
import type { Sleeper } from '../schedule/sleeper.ts';
import type { Throttle } from '../schedule/throttle.ts';
import type { Watchdog } from '../schedule/stop/watchdog.ts';
import { type Guard, openGuard } from './integrity/guard.ts';
import type { Observer } from './observer.ts';
import { RetryBudget } from './retry.ts';
import type { Send } from './send.ts';
import type { HeadSources } from './session-head.ts';
import pLimit from 'p-limit';

/** The sessions to run. */
export interface Workload {
  plan: Plan;
  script: Script;
}

/** Request options of the target. */
export interface Protocol {
  api: ChatApi;
}

/** Sender of attempts. */
export interface Sending {
  send: Send;
  policies: Policies;
  /** Renewed credential; `undefined`: it is constant. */
  access?: Access | undefined;
}

/** One entry a policy of the plan, in its order. */
type Policies = readonly { policy: RetryPolicy; budget: RetryBudget | undefined }[];

/** Waits, and their cancellation. */
interface Waiting {
  clock: Clock;
  stopSignal: StopSignal;
  sleeper: Sleeper;
}

/** Limits of a run. */
export interface Bounds {
  /** Asked before every send, but for the first creation of a session: the schedule has taken that. */
  quota: Quota;
  /** Sums the costs of replies. */
  spending: Spending;
}

/** Called when an attempt has ended. */
export interface AttemptListeners extends TargetFitness {
  observer: Observer;
  watchdog: Pick<Watchdog, 'attemptEnded'>;
  /** Receives successes and rejections. */
  throttle: Pick<Throttle, 'wentWell' | 'refused'>;
  /** A 401 or 403 was seen: the run is to stop. */
  breakCircuit(why: string): void;
  /** The scenario itself failed while running: the run is to stop. */
  abandon: (error: ChatLoadError) => void;
}

/** Detects a target that does not work at all. */
export interface TargetFitness {
  plan: Pick<Plan, 'target'>;
  policies: Policies;
  /** Records whether the target creates sessions and answers messages. */
  fitness: Readonly<Record<Operation, Fitness>>;
  /** The target never worked: the run is to stop. */
  leaveUnfit(found: UnfitTarget): void;
}

/** A target that never performed an operation. */
export interface UnfitTarget extends Unusable {
  operation: Operation;
}

/** Context of a creation or a turn, retries included. */
export type OperationContext = Workload & Sending & Waiting & Bounds & AttemptListeners;

/** The inputs of a live session and its reports. */
export interface SessionSurroundings extends Workload, Protocol {
  clock: Clock;
  stopSignal: StopSignal;
  quota: Quota;
  observer: Observer;
  liveIds: LiveIds;
  /** `undefined`: the integrity of conversations is not checked. */
  guard: Guard | undefined;
  abandon: AttemptListeners['abandon'];
  /** `undefined`: no request has anything in its head that others have not. */
  heads: HeadSources | undefined;
}

/** Context shared by all sessions of a run. */
export type SessionContext = OperationContext &
  SessionSurroundings & {
    /** Waits for a slot among the turns in flight, and returns a function that frees it; `undefined`: unlimited. */
    turnPlace: (() => Promise<() => void>) | undefined;
  };

/** The ids of the sessions that are live: a service that issues one id twice merges two conversations. */
export class LiveIds {
  readonly #ids = new Set<string>();
  readonly #notify: (() => void) | undefined;
  #hasNotified = false;

  /** `notify` is called once, for the first id that two live sessions share. */
  constructor(notify: (() => void) | undefined) {
    this.#notify = notify;
  }

  add(id: string): void {
    if (this.#ids.has(id) && !this.#hasNotified) {
      this.#hasNotified = true;
      this.#notify?.();
    }
    this.#ids.add(id);
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }
}

/**
 * Sums the costs of replies. Sums are whole millionths, so that they merge exactly; the rounding error of each reply is
 * added to the next, so that a million replies of a ten-millionth do not sum to zero.
 */
export class Spending {
  readonly #quota: Pick<Quota, 'spend'>;
  #rest = 0;

  constructor(quota: Pick<Quota, 'spend'>) {
    this.#quota = quota;
  }

  /** Adds a cost in the scenario's currency, and returns it in whole millionths. */
  add(cost: number): number {
    const exact = cost * 1e6 + this.#rest;
    const millionths = Math.max(0, Math.round(exact));
    this.#rest = exact - millionths;
    this.#quota.spend(millionths);
    return millionths;
  }
}

type SharedParts =
  'plan' | 'script' | 'send' | 'access' | 'clock' | 'sleeper' | 'observer' | 'quota' | 'watchdog' | 'throttle';

interface ContextParts extends Pick<SessionContext, SharedParts | 'leaveUnfit'> {
  protocol: ChatProtocol;
  stopController: StopController;
  /** The agent does not repeat the integrity guard's tags. */
  onUnheard?: () => void;
  /** The number of shards that together find out whether the target is fit. */
  shards?: number;
  heads?: HeadSources | undefined;
  /** Two live sessions were given one id. */
  onSharedId?: () => void;
}

/** Creates the context shared by all sessions of a run. */
export function createSessionContext({
  stopController,
  protocol,
  onUnheard,
  onSharedId,
  shards = 1,
  heads,
  ...parts
}: ContextParts): SessionContext {
  const { plan, quota } = parts;
  const { unusable } = plan.stopWhen;
  const enough = unusable === null ? null : Math.ceil(unusable / shards);
  return {
    ...parts,
    heads: headsOf(parts.script, heads),
    stopSignal: stopController.stopSignal,
    liveIds: new LiveIds(onSharedId),
    policies: plan.retry.map((policy) => ({
      policy,
      budget: policy.budget === null ? undefined : new RetryBudget(policy.budget),
    })),
    turnPlace: plan.load.maxTurnsInFlight === null ? undefined : boundTurns(plan.load.maxTurnsInFlight),
    api: protocol.open({ ...plan.target, instructions: parts.script.instructions }),
    guard: openGuard(plan, onUnheard),
    fitness: { create: new Fitness(enough), message: new Fitness(enough) },
    breakCircuit: (why) => stopController.end({ kind: 'circuit', why }),
    abandon: (error) => stopController.end({ kind: 'scenario_error', error }),
    spending: new Spending(quota),
  };
}

/** A run without any of these has no heads of sessions at all. */
function headsOf({ headers }: Script, heads: HeadSources | undefined): HeadSources | undefined {
  const isUsed = headers.rendered.length > 0 || heads?.newJar !== undefined || heads?.newTrace !== undefined;
  return isUsed ? (heads ?? noSources) : undefined;
}

const noSources: HeadSources = { newJar: undefined, newTrace: undefined, keepSecret: () => undefined };

/** Admits a limited number at a time, in order of arrival. */
export function boundTurns(max: number): () => Promise<() => void> {
  const limit = pLimit(max);
  return () => new Promise((enter) => void limit(() => new Promise<void>((leave) => enter(leave))));
}
