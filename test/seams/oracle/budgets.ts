import type { Plan } from '../../../src/plan/plan.ts';

/** Limits the share of retries among the attempts of the last ten tenths of the window; a retry counts when it is granted. */
export class Budget {
  readonly #budget: Plan['retry'][number]['budget'];
  readonly #attempts: number[] = [];
  readonly #granted: number[] = [];

  constructor(budget: Plan['retry'][number]['budget']) {
    this.#budget = budget;
  }

  sent(at: number): void {
    this.#attempts.push(at);
  }

  grants(at: number): boolean {
    if (this.#budget === null) return true;
    const { share, windowMs } = this.#budget;
    const tenth = (instant: number): number => Math.floor(instant / (windowMs / 10));
    const recent = (instants: number[]): number => instants.filter((each) => tenth(each) > tenth(at) - 10).length;
    if (recent(this.#granted) + 1 > share * (recent(this.#attempts) + 1)) return false;
    this.#granted.push(at);
    return true;
  }
}
