/** Runs tasks one after another, in order of arrival; synchronous ones run at once if none is in progress. */
export class TurnQueue {
  #last: Promise<void> | undefined;

  get isFree(): boolean {
    return this.#last === undefined;
  }

  /** `work` must not throw or reject: later tasks wait for its end. */
  run(work: () => void | Promise<void>): void {
    const mine = this.#last === undefined ? work() : this.#last.then(work);
    if (mine === undefined) return;
    this.#last = mine;
    void mine.then(() => {
      if (this.#last === mine) this.#last = undefined;
    });
  }
}
