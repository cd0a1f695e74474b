import pLimit from 'p-limit';
import type { Clock } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import type { Ending } from '../schedule/ending.ts';
import type { Sleeper } from '../schedule/sleeper.ts';
import type { Observer } from './observer.ts';
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
}

/** Sets up what all sessions of a run share. */
export function openStage({ ending, ...parts }: StageParts): SessionStage {
  const { plan } = parts;
  return {
    ...parts,
    brake: ending.brake,
    policies: plan.retry.map((policy) => ({
      policy,
      budget: policy.budget === null ? undefined : new RetryBudget(policy.budget),
    })),
    turnLimit: plan.load.maxTurnsInFlight === null ? undefined : pLimit(plan.load.maxTurnsInFlight),
    createBody: createBodyOf(plan.target),
    breakCircuit: (why) => ending.end({ kind: 'circuit', why }),
    abandon: (error) => ending.end({ kind: 'scenario_error', error }),
  };
}

/** The JSON body that creates a session: the plan's, with `{{agentId}}` filled in wherever it stands. */
const createBodyOf = ({ agentId, createSession }: Plan['target']): string =>
  JSON.stringify(createSession.body, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('{{agentId}}', () => agentId) : value,
  );
