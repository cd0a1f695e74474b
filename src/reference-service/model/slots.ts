/** Slots for work in progress; further work waits in order of arrival. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number | null) {
    this.#free = count ?? Infinity;
  }

  /** Calls `begin` as soon as a slot is free; the returned function gives up the slot, or the wait. */
  take(begin: () => void): () => void {
    let isOver = false;
    const start = (): void => {
      this.#free--;
      begin();
    };
    if (this.#free > 0) start();
    else this.#waiting.add(start);
    return () => {
      if (isOver) return;
      isOver = true;
      if (this.#waiting.delete(start)) return;
      this.#free++;
      this.#startNext();
    };
  }

  #startNext(): void {
    for (const start of this.#waiting) {
      if (this.#free < 1) return;
      this.#waiting.delete(start);
      start();
    }
  }
}
