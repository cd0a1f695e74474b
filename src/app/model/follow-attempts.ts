import { systemClock } from '../../edge/clock.ts';
import type { AttemptFact } from '../../model-calls/attempt-facts.ts';
import { AttemptFollower } from '../../model-calls/attempt-follower.ts';
import type { Plan } from '../../plan/plan.ts';
import { machineOffsetMs } from './link-model.ts';

interface Following {
  /** ID of the run. */
  run: string;
  deliver: (facts: readonly AttemptFact[]) => void;
}

/** Reports the attempts of this process for the model service of a plan. */
export function followAttempts({ model }: Pick<Plan, 'model'>, { run, deliver }: Following): AttemptFollower {
  const findsWords = model?.delivered === true;
  return new AttemptFollower({ run, clock: systemClock, offsetMs: machineOffsetMs, findsWords, deliver });
}
