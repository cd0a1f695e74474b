/**
 * How far a run is to stop, each level including those before it:
 * `drain`: no new session starts; `halt`: nothing more is sent, what is in flight ends by itself;
 * `cut`: what is in flight is aborted.
 */
export type StopLevel = 'none' | 'drain' | 'halt' | 'cut';

const order: Readonly<Record<StopLevel, number>> = { none: 0, drain: 1, halt: 2, cut: 3 };

/** The one place that decides whether a run goes on. Its level only rises. */
export class StopSignal {
  #level: StopLevel = 'none';
  readonly #listeners = new Map<() => void, StopLevel>();

  /** Raises the level; a level not above the present one changes nothing. */
  apply(level: StopLevel): void {
    if (order[level] <= order[this.#level]) return;
    this.#level = level;
    for (const [listener, from] of [...this.#listeners]) if (this.reached(from)) this.#call(listener);
  }

  reached(level: StopLevel): boolean {
    return order[this.#level] >= order[level];
  }

  /** Calls back once, when `level` is reached (at once if it has been); the returned function cancels that. */
  when(level: StopLevel, listener: () => void): () => void {
    if (this.reached(level)) listener();
    else this.#listeners.set(listener, level);
    return () => this.#listeners.delete(listener);
  }

  #call(listener: () => void): void {
    this.#listeners.delete(listener);
    listener();
  }
}
