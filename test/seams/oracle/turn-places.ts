/** At most this number of turns are in flight; first come, first served. */
export class TurnPlaces {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(max: number | null) {
    this.#free = max ?? Infinity;
  }

  enter(then: () => void): void {
    if (this.#free === 0) {
      this.#waiting.push(then);
      return;
    }
    this.#free -= 1;
    then();
  }

  leave(): void {
    const [next, ...others] = this.#waiting;
    this.#waiting = others;
    if (next === undefined) this.#free += 1;
    else next();
  }
}
