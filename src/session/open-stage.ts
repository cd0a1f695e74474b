import pLimit from 'p-limit';
import type { Clock } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import type { Allowance } from '../schedule/allowance.ts';
import type { Ending } from '../schedule/ending.ts';
import { Fitness } from '../schedule/fitness.ts';
import type { Sleeper } from '../schedule/sleeper.ts';
import type { Throttle } from '../schedule/throttle.ts';
import type { Watchdog } from '../schedule/watchdog.ts';
import { createBody } from '../wire/create-body.ts';
import { judgeCreation } from './classify.ts';
import { openGuard } from './integrity/guard.ts';
import { LiveIds } from './live-ids.ts';
import type { Observer } from './observer.ts';
import { openPricing } from './price-reply.ts';
import { RetryBudget } from './retry-budget.ts';
import type { Send } from './send.ts';
import type { SessionStage } from './stage.ts';

export interface StageParts {
  plan: Plan;
  script: Script;
  send: Send;
  clock: Clock;
  sleeper: Sleeper;
  observer: Observer;
  ending: Ending;
  allowance: Allowance;
  watchdog: Watchdog;
  throttle: Throttle;
  /** The agent gives nothing back of what the integrity guard says. */
  onUnheard?: () => void;
  /** Two live sessions were given one id. */
  onSharedId?: () => void;
}

/** Sets up what all sessions of a run share. */
export function openStage({ ending, onUnheard, onSharedId, ...parts }: StageParts): SessionStage {
  const { plan, script, allowance } = parts;
  const abandon: SessionStage['abandon'] = (error) => ending.end({ kind: 'scenario_error', error });
  return {
    ...parts,
    brake: ending.brake,
    liveIds: new LiveIds(onSharedId),
    policies: plan.retry.map((policy) => ({
      policy,
      budget: policy.budget === null ? undefined : new RetryBudget(policy.budget),
    })),
    turnPlace: plan.load.maxTurnsInFlight === null ? undefined : boundTurns(plan.load.maxTurnsInFlight),
    createBody: createBody(plan.target.createSession.body, plan.target.agentId),
    guard: openGuard(plan, onUnheard),
    judgeCreation: judgeCreation(plan.target.createSession.sessionIdFrom),
    fitness: { create: new Fitness(), message: new Fitness() },
    leaveUnfit: (found) => ending.end({ kind: 'target_unfit', ...found }),
    breakCircuit: (why) => ending.end({ kind: 'circuit', why }),
    abandon,
    priceReply: script.cost && openPricing(script.cost, { allowance, abandon }),
  };
}

/** Lets in so many at a time, in the order in which they came. */
export function boundTurns(most: number): () => Promise<() => void> {
  const limit = pLimit(most);
  return () => new Promise((enter) => void limit(() => new Promise<void>((leave) => enter(leave))));
}
