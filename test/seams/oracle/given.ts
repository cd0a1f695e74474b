import type { Plan } from '../../../src/plan/plan.ts';
import type { Signals } from '../factors.ts';
import type { AnswerModel } from '../service-model.ts';

/** All that a run depends on. */
export interface Given {
  plan: Plan;
  model: AnswerModel;
  signals: Signals;
  /** What the seed says of a session: how many turns, and how long it thinks after each. */
  turnsOf: (session: number) => number;
  thinkAfter: (session: number, turn: number) => number;
  /** When sessions are due under open load, from the run's start. */
  dueInstants: Iterator<number>;
}
