import { arrivalOffsets } from '../../src/schedule/arrivals.ts';
import { keyOf, randomOf } from '../../src/base/random.ts';
import { planSession } from '../../src/plan/session-plan.ts';
import type { Plan } from '../../src/plan/plan.ts';
import type { Script } from '../../src/plan/script.ts';
import type { Signals } from './factors.ts';
import { foresee } from './oracle/foresee.ts';
import type { Foreseen } from './oracle/facts.ts';
import type { AnswerModel } from './service-model.ts';

/** Predicts a run of a resolved scenario. Only draws from the seed use code of chat-load, which has its own tests. */
export function foreseeRun(
  { plan, script }: { plan: Plan; script: Script },
  { model, signals }: { model: AnswerModel; signals: Signals },
): Foreseen {
  return foresee({
    plan,
    model,
    signals,
    turnsOf: (session) => planSession(script, session).turns,
    thinkAfter: (session, turn) => planSession(script, session).thinkTime(turn),
    dueInstants: plan.load.model === 'open' ? arrivalsOf(plan, plan.load) : [].values(),
  });
}

const arrivalsOf = ({ seed }: Plan, load: Plan['load'] & { model: 'open' }): Iterator<number> =>
  arrivalOffsets(load, randomOf(seed, keyOf('arrivals')));
