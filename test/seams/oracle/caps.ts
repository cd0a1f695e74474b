import type { Plan } from '../../../src/plan/plan.ts';
import type { RunEnd } from './run-end.ts';

/** Caps are checked before every send and never exceeded; the first rejected send ends the run. */
export class Caps {
  readonly #plan: Plan;
  readonly #end: RunEnd;
  #turns = 0;
  #sessions = 0;
  #cost = 0;

  constructor(plan: Plan, end: RunEnd) {
    this.#plan = plan;
    this.#end = end;
  }

  /** Reports whether one more message may be sent. */
  message(): boolean {
    if (!this.#maySpeak()) return false;
    this.#turns += 1;
    return true;
  }

  /** Reports whether one more session may be created: only if it could send a message. */
  creation(): boolean {
    if (!this.#maySpeak()) return false;
    if (this.#sessions >= (this.#plan.maxSessions ?? Infinity)) {
      this.#end.because('cap').drain();
      return false;
    }
    this.#sessions += 1;
    return true;
  }

  spend(cost: number): void {
    this.#cost += cost;
  }

  #maySpeak(): boolean {
    const { maxTurns, maxCost } = this.#plan;
    const may = this.#turns < (maxTurns ?? Infinity) && this.#cost < (maxCost ?? Infinity);
    if (!may) this.#end.because('cap').halt();
    return may;
  }
}
