/** Steps per character of a text, and in addition for each text: far more than any text needs that nobody crafted. */
const stepsPerCharacter = 100;
const stepsPerText = 10_000_000;

/** The number of steps that a search may take: linear in the length of the text, whatever it and the secrets contain. */
export class Effort {
  #left: number;

  constructor(length: number) {
    this.#left = stepsPerText + stepsPerCharacter * length;
  }

  /** Counts steps; throws if the search takes more than it may. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new RangeError('the search for secrets in a text takes too long');
  }
}
