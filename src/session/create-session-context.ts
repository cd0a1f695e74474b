import pLimit from 'p-limit';
import type { Clock } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import type { Quota } from '../schedule/quota.ts';
import type { StopController } from '../schedule/stop/stop-controller.ts';
import { Fitness } from '../schedule/stop/fitness.ts';
import type { Sleeper } from '../schedule/sleeper.ts';
import type { Throttle } from '../schedule/throttle.ts';
import type { Watchdog } from '../schedule/stop/watchdog.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';
import { openGuard } from './integrity/guard.ts';
import { LiveIds } from './live-ids.ts';
import type { Observer } from './observer.ts';
import { RetryBudget } from './retry-budget.ts';
import type { Send } from './send.ts';
import type { SessionContext } from './session-context.ts';
import type { HeadSources } from './session-head.ts';
import { Spending } from './spending.ts';

interface StageParts {
  plan: Plan;
  script: Script;
  protocol: ChatProtocol;
  send: Send;
  access?: SessionContext['access'];
  clock: Clock;
  sleeper: Sleeper;
  observer: Observer;
  stopController: StopController;
  quota: Quota;
  watchdog: Watchdog;
  throttle: Throttle;
  leaveUnfit: SessionContext['leaveUnfit'];
  /** The agent repeats nothing of what the integrity guard says. */
  onUnheard?: () => void;
  /** The number of shards that together find out whether the target is fit. */
  shards?: number;
  heads?: HeadSources | undefined;
  /** Two live sessions were given one id. */
  onSharedId?: () => void;
}

/** Sets up what all sessions of a run share. */
export function createSessionContext({
  stopController,
  protocol,
  onUnheard,
  onSharedId,
  shards = 1,
  heads,
  ...parts
}: StageParts): SessionContext {
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
export function boundTurns(most: number): () => Promise<() => void> {
  const limit = pLimit(most);
  return () => new Promise((enter) => void limit(() => new Promise<void>((leave) => enter(leave))));
}
