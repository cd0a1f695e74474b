interface Entry {
  at: number;
  act: () => void;
}

/** Pending events, ordered by instant and then by insertion. */
export class Timeline {
  now = 0;
  #entries: Entry[] = [];

  /** Schedules an action at an instant; the returned function removes it. */
  at(at: number, act: () => void): () => void {
    const entry = { at, act };
    if (at < Infinity) this.#entries.push(entry);
    return () => (this.#entries = this.#entries.filter((each) => each !== entry));
  }

  /** Lets everything happen until `isOver`. */
  run(isOver: () => boolean): void {
    while (!isOver()) {
      const [first, ...others] = this.#entries;
      if (first === undefined) throw new Error('the run never ends');
      const next = others.reduce((soonest, each) => (each.at < soonest.at ? each : soonest), first);
      this.#entries = this.#entries.filter((each) => each !== next);
      this.now = next.at;
      next.act();
    }
  }
}
