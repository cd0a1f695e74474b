import type { Plan } from '../../../src/plan/plan.ts';
import type { Signals } from '../factors.ts';
import type { AnswerModel } from '../service-model.ts';

/** All inputs of a run. */
export interface Given {
  plan: Plan;
  model: AnswerModel;
  signals: Signals;
  /** Number of turns of a session, drawn from the seed, and the think time after each. */
  turnsOf: (session: number) => number;
  thinkAfter: (session: number, turn: number) => number;
  /** When sessions are due under open load, from the run's start. */
  dueInstants: Iterator<number>;
}
