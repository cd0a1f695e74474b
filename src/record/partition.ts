import type { HistogramPool } from './histogram-pool.ts';
import { shortestIntervalMs, startOf } from './interval-width.ts';
import { LiveTally } from './live-tally.ts';

/** The tallies of one phase and policy: one for everything so far, and one an interval that is still open. */
export class Partition {
  readonly warmUp: boolean;
  readonly policy: number;
  /** Everything that has been closed. */
  readonly total: LiveTally;
  readonly #pool: HistogramPool;
  #open: LiveTally[] = [];
  #current: LiveTally | undefined;

  constructor(pool: HistogramPool, { warmUp, policy }: { warmUp: boolean; policy: number }) {
    this.warmUp = warmUp;
    this.policy = policy;
    this.total = new LiveTally(pool);
    this.#pool = pool;
  }

  get open(): readonly LiveTally[] {
    return this.#open;
  }

  /** The open tally of the interval in which something ended, `elapsedMs` after the run's start. */
  at(elapsedMs: number): LiveTally {
    const current = this.#current;
    if (current !== undefined && elapsedMs >= current.from && elapsedMs < current.until) return current;
    return this.#find(elapsedMs);
  }

  /** Removes and returns the tallies of intervals that ended by `elapsedMs`; a late observation opens a new one. */
  takeEnded(elapsedMs: number): LiveTally[] {
    const ended = this.#open.filter((tally) => tally.until <= elapsedMs);
    if (ended.length === 0) return ended;
    this.#open = this.#open.filter((tally) => tally.until > elapsedMs);
    this.#current = this.#open.at(-1);
    return ended;
  }

  #find(elapsedMs: number): LiveTally {
    const from = startOf(elapsedMs, shortestIntervalMs);
    const tally = this.#open.find((each) => each.from === from) ?? this.#openAt(from);
    if (this.#current === undefined || from > this.#current.from) this.#current = tally;
    return tally;
  }

  #openAt(from: number): LiveTally {
    const tally = new LiveTally(this.#pool, { from, until: from + shortestIntervalMs });
    this.#open.push(tally);
    return tally;
  }
}
