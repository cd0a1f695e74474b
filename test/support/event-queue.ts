/** Events by time: a binary heap in typed arrays, since models take millions of them. */
export class EventQueue {
  #times = new Float64Array(64);
  #ids = new Int32Array(64);
  #size = 0;

  /** When the next event is; Infinity if there is none. */
  get nextAt(): number {
    return this.#size > 0 ? (this.#times[0] ?? Infinity) : Infinity;
  }

  push(at: number, id: number): void {
    if (this.#size === this.#times.length) this.#grow();
    let place = this.#size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((this.#times[parent] ?? 0) <= at) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#times[place] = at;
    this.#ids[place] = id;
  }

  /** Removes the next event and returns its id. */
  pop(): number {
    const id = this.#ids[0] ?? 0;
    const last = --this.#size;
    const [at, lastId] = [this.#times[last] ?? 0, this.#ids[last] ?? 0];
    let place = 0;
    for (let child = 1; child < last; child = 2 * place + 1) {
      if (child + 1 < last && (this.#times[child + 1] ?? 0) < (this.#times[child] ?? 0)) child++;
      if (at <= (this.#times[child] ?? 0)) break;
      this.#move(child, place);
      place = child;
    }
    this.#times[place] = at;
    this.#ids[place] = lastId;
    return id;
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from] ?? 0;
    this.#ids[to] = this.#ids[from] ?? 0;
  }

  #grow(): void {
    const [times, ids] = [new Float64Array(2 * this.#size), new Int32Array(2 * this.#size)];
    times.set(this.#times);
    ids.set(this.#ids);
    [this.#times, this.#ids] = [times, ids];
  }
}
