interface Entry {
  at: number;
  act: () => void;
}

/** What is still to happen, in the order of its instants; what was entered first comes first. */
export class Timeline {
  now = 0;
  #entries: Entry[] = [];

  /** Enters what is to happen at an instant; the returned function takes it out again. */
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
