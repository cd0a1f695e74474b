import { instant, ms, type Instant, type Ms } from '../base/time.ts';

/** Shorter waits are left to the probes. */
const minWaitMs = 0.5;
/** A turn that begins so soon after the one before did not wait for anything to arrive. */
const contiguousMs = 0.1;
/** A tick that is later than this was delayed by a stall; timers alone are up to 2 ms late. */
const minLateMs = 2;
/** Instants that are sums of gaps are rounded. */
const roundingMs = 0.001;
/** Number of past turns that are kept: a few minutes of a loop that is always late. */
const kept = 8192;

/**
 * Knows how long what is read may have waited for the event loop: all that one turn of the loop reads had arrived when its first
 * read began, or since the loop last polled, if it was busy in between. Costs a reading of the clock per read, and an immediate per turn.
 */
export class LoopTurns {
  readonly #now: () => number;
  readonly #defer: (end: () => void) => void;
  /** Instant since which nothing was read, of the turn in progress; `undefined` between turns. */
  #from: number | undefined;
  #startedAt = -Infinity;
  #lastStartedAt = -Infinity;
  #lastEndedAt = -Infinity;
  #tickedAt = -Infinity;
  #tickDueAt = Infinity;
  /** Long turns, in a ring: everything that was read in one may have waited since its start. */
  readonly #starts = new Float64Array(kept);
  readonly #ends = new Float64Array(kept);
  #count = 0;
  #askedAt = instant(-Infinity);
  #answer = ms(0);

  constructor(now: () => number = () => performance.now(), defer: (end: () => void) => void = setImmediate) {
    this.#now = now;
    this.#defer = defer;
  }

  /** Returns the current instant; to be called where data is read. */
  readAt(): Instant {
    const at = this.#now();
    if (this.#from === undefined) this.#begin(this.#unreadSince(at), at);
    return instant(at);
  }

  /** The loop's timer fired, which it should do every `periodMs`. */
  ticked(periodMs: number): void {
    const at = this.#now();
    if (this.#from === undefined) {
      const from = this.#unreadSince(at);
      if (from < at) this.#begin(from, at);
    }
    this.#tickedAt = at;
    this.#tickDueAt = at + periodMs;
  }

  /** Returns the instant since which the loop may have read nothing, before a turn that begins now. */
  #unreadSince(at: number): number {
    if (at - this.#lastEndedAt < contiguousMs) return this.#lastStartedAt;
    // A stall delays the tick, and the loop may read before it ticks. On average it has lasted as long before the tick was due as after.
    const lateMs = at - this.#tickDueAt;
    return lateMs > minLateMs ? Math.max(this.#lastEndedAt, this.#tickedAt, this.#tickDueAt - lateMs) : at;
  }

  /** The timer was stopped: its next tick is the first. */
  stopped(): void {
    this.#tickDueAt = Infinity;
  }

  /** Returns the longest time that what was read at an instant may have waited for the loop: 0 for less than half a millisecond. */
  waited(at: Instant): Ms {
    // Most figures of a reply end at the same read.
    if (at !== this.#askedAt) {
      this.#askedAt = at;
      this.#answer = this.#waitOf(at);
    }
    return this.#answer;
  }

  #waitOf(at: Instant): Ms {
    if (this.#from !== undefined && at >= this.#startedAt - roundingMs) return atLeast(at - this.#from);
    const newest = this.#count - 1;
    if (newest < 0 || at > (this.#ends[newest % kept] ?? 0) + roundingMs) return ms(0);
    // The latest turn that began before the instant.
    let [low, high] = [Math.max(0, this.#count - kept), newest];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle % kept] ?? 0) < at) low = middle;
      else high = middle - 1;
    }
    const [from = 0, until = 0] = [this.#starts[low % kept], this.#ends[low % kept]];
    return at > from && at <= until + roundingMs ? atLeast(at - from) : ms(0);
  }

  /** Returns an instant of the latest long turn that ended between two instants, or the second one. */
  latestBetween(from: Instant, at: Instant): Instant {
    const end = this.#ends[(this.#count - 1 + kept) % kept] ?? 0;
    return this.#count > 0 && end > from && end <= at ? instant(end) : at;
  }

  /** Bound once, because each turn needs it. */
  readonly #endTurn = (): void => this.#end();

  #begin(from: number, at: number): void {
    this.#from = from;
    this.#startedAt = at;
    this.#defer(this.#endTurn);
  }

  #end(): void {
    const [from, at] = [this.#from ?? 0, this.#now()];
    if (at - from >= minWaitMs) {
      this.#starts[this.#count % kept] = from;
      this.#ends[this.#count % kept] = at;
      this.#count++;
    }
    this.#from = undefined;
    this.#lastStartedAt = this.#startedAt;
    this.#lastEndedAt = at;
  }
}

const atLeast = (waitedMs: number): Ms => ms(waitedMs < minWaitMs ? 0 : waitedMs);

/** The turns of this process's event loop. */
export const loopTurns = new LoopTurns();
