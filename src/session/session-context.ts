import type { ChatLoadError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import { reachOf } from '../plan/host-names.ts';
import type { Access } from '../plan/resolve-auth.ts';
import type { RetryPolicy } from '../plan/plan.ts';
import type { Price } from '../plan/prices.ts';
import type { Script, Workload } from '../plan/script.ts';
import type { ChatApi, Operation, ChatProtocol } from '../protocol/protocol.ts';
import type { Quota } from '../schedule/quota.ts';
import type { StopSignal, StopController } from '../schedule/stop/stop-controller.ts';
import { Fitness, type Unusable } from '../schedule/stop/fitness.ts';
import type { Sleeper } from '../schedule/sleeper.ts';
import type { Throttle } from '../schedule/throttle.ts';
import type { Watchdog } from '../schedule/stop/watchdog.ts';
import { CacheWatch } from './cache-watch.ts';
import { type Guard, openGuard } from './integrity/guard.ts';
import type { Observer } from './observer.ts';
import { RetryBudget } from './retry.ts';
import type { Send } from './send.ts';
import type { HeadSources } from './session-head.ts';
import pLimit from 'p-limit';

/** A target that never performed an operation. */
export interface UnfitTarget extends Unusable {
  operation: Operation;
}

/** Context shared by all sessions of a run. */
export interface SessionContext extends Workload {
  /** Request options of the target. */
  api: ChatApi;
  send: Send;
  /** Retry policies of the plan, in its order. */
  policies: readonly { policy: RetryPolicy; budget: RetryBudget | undefined }[];
  /** Renewed credential; `undefined`: it is constant. */
  access?: Access | undefined;
  clock: Clock;
  stopSignal: StopSignal;
  sleeper: Sleeper;
  /** Consulted before every send except the first creation of a session, which the schedule has already taken. */
  quota: Quota;
  /** Sums the costs of attempts. */
  spending: Spending;
  observer: Observer;
  watchdog: Pick<Watchdog, 'attemptEnded'>;
  /** Receives successes and rejections. */
  throttle: Pick<Throttle, 'succeeded' | 'refused'>;
  /** Called after a 401 or 403: stops the run. */
  breakCircuit(why: string): void;
  /** Called when the scenario itself fails; stops the run. */
  abandon: (error: ChatLoadError) => void;
  /** Records whether the target creates sessions and answers messages. */
  fitness: Readonly<Record<Operation, Fitness>>;
  /** Called when the target never worked: stops the run. */
  leaveUnfit(found: UnfitTarget): void;
  liveIds: LiveIds;
  /** `undefined`: the integrity of conversations is not checked. */
  guard: Guard | undefined;
  /** Looks for a cache of replies. */
  caches: CacheWatch;
  /** `undefined`: all requests have the same headers. */
  heads: HeadSources | undefined;
  /** Receives secrets that must not be written. */
  keepSecret?: ((secret: string) => void) | undefined;
  /** Waits for a slot among the turns in flight, and returns a function that frees it; `undefined`: unlimited. */
  turnPlace: (() => Promise<() => void>) | undefined;
}

/** IDs of live sessions: a service that issues one ID twice merges two conversations. */
export class LiveIds {
  readonly #ids = new Set<string>();
  readonly #notify: (() => void) | undefined;
  #hasNotified = false;

  /** `notify` is called once, for the first ID that two live sessions share. */
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

/** Sums the costs of attempts, up to the largest sum that is exact for all shards together: 9 million in the currency. */
export class Spending {
  readonly #quota: Pick<Quota, 'spend'>;
  #left: number;

  constructor(quota: Pick<Quota, 'spend'>, shards: number) {
    this.#quota = quota;
    this.#left = Math.floor(Number.MAX_SAFE_INTEGER / shards);
  }

  add(price: Price): Price {
    const nanos = Math.min(price.nanos, this.#left);
    this.#left -= nanos;
    this.#quota.spend(nanos);
    return nanos === price.nanos ? price : { ...price, nanos, isWhole: false };
  }
}

type Derived =
  | 'api'
  | 'policies'
  | 'stopSignal'
  | 'spending'
  | 'breakCircuit'
  | 'abandon'
  | 'fitness'
  | 'liveIds'
  | 'guard'
  | 'caches'
  | 'heads'
  | 'keepSecret'
  | 'turnPlace';

interface ContextParts extends Omit<SessionContext, Derived> {
  protocol: ChatProtocol;
  stopController: StopController;
  /** Called if the agent does not repeat the integrity guard's tags. */
  onUnsupported?: () => void;
  /** Number of shards that together decide whether the target is fit. */
  shards?: number;
  heads?: HeadSources | undefined;
  /** Called when two live sessions have the same ID. */
  onSharedId?: () => void;
}

/** Creates the context shared by all sessions of a run. */
export function createSessionContext({
  stopController,
  protocol,
  onUnsupported,
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
    keepSecret: heads?.keepSecret,
    stopSignal: stopController.stopSignal,
    liveIds: new LiveIds(onSharedId),
    policies: plan.retry.map((policy) => ({
      policy,
      budget: policy.budget === null ? undefined : new RetryBudget(policy.budget),
    })),
    turnPlace: plan.load.maxTurnsInFlight === null ? undefined : boundTurns(plan.load.maxTurnsInFlight),
    api: protocol.open({ ...plan.target, mayReach: reachOf(plan), instructions: parts.script.instructions }),
    guard: openGuard(plan, parts.script.run.salt, onUnsupported),
    caches: new CacheWatch(),
    fitness: { create: new Fitness(enough), message: new Fitness(enough) },
    breakCircuit: (why) => stopController.end({ kind: 'circuit', why }),
    abandon: (error) => stopController.end({ kind: 'scenario_error', error }),
    spending: new Spending(quota, shards),
  };
}

/** Returns the sources of headers; `undefined` for a run in which no header differs between requests. */
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
