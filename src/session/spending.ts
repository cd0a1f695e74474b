import type { Quota } from '../schedule/quota.ts';

/**
 * Adds up what replies cost. Sums are kept in whole millionths, so that they merge exactly; what rounding takes from one
 * reply is added to the next, so that a million replies of a ten-millionth do not sum to zero.
 */
export class Spending {
  readonly #quota: Pick<Quota, 'spend'>;
  #rest = 0;

  constructor(quota: Pick<Quota, 'spend'>) {
    this.#quota = quota;
  }

  /** Spends a cost in the scenario's currency, and gives it in whole millionths. */
  add(cost: number): number {
    const exact = cost * 1e6 + this.#rest;
    const millionths = Math.max(0, Math.round(exact));
    this.#rest = exact - millionths;
    this.#quota.spend(millionths);
    return millionths;
  }
}
