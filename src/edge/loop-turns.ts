import { performance } from 'node:perf_hooks';
import { instant, minWaitMs, ms, type Instant, type Ms } from '../base/time.ts';

/** A poll that took no longer did not wait for anything to arrive. */
const promptPollMs = 0.01;
/** A tick that is later than this was delayed by a stall; timers alone are up to 2 ms late. */
const minLateMs = 2;
/**
 * Time during which the poll of a read also counts as that of the next reads: asking for the time in polls takes as long as all
 * else that is done for a read here, and a poll in between changes a wait by no more than this.
 */
const samePollMs = 0.1;
/** Instants that are sums of gaps are rounded. */
const roundingMs = 0.001;
/** Number of past turns that are kept: a few minutes of a loop that is always late. */
const kept = 8192;

interface LoopTimes {
  now: () => number;
  /** Returns the time that the loop has spent in polls. */
  polledMs: () => number;
  /** Calls a function after the next poll. */
  defer: (end: () => void) => void;
}

const { nodeTiming } = performance;
const timesOfThisThread: LoopTimes = {
  now: () => performance.now(),
  polledMs: () => nodeTiming.idleTime,
  defer: setImmediate,
};

/**
 * Knows how long what is read may have waited for the event loop: all that one poll of the loop found had arrived when its first
 * read began, or since the poll before, if the loop was busy in between. The time that the loop has spent in polls distinguishes
 * both: it grows with each poll. Costs one reading of the clock per read, and at most ten thousand of that time per second.
 */
export class LoopTurns {
  readonly #times: LoopTimes;
  /** Instant since which the loop may have read nothing, of the latest turn. */
  #from = Infinity;
  /** Instants of the first read of the latest turn, and of the last one or the last thing that was done in it. */
  #startedAt = -Infinity;
  #lastAt = -Infinity;
  #polledMs = -1;
  /** Instant at which the time in polls was read. */
  #polledAt = -Infinity;
  #isOver = false;
  #isEndDeferred = false;
  #tickedAt = -Infinity;
  #tickDueAt = Infinity;
  /** Long turns, in a ring: everything that was read in one may have waited since its start. */
  readonly #starts = new Float64Array(kept);
  readonly #ends = new Float64Array(kept);
  #count = 0;
  #askedAt = instant(-Infinity);
  #answer = ms(0);

  constructor(times = timesOfThisThread) {
    this.#times = times;
  }

  /** Returns the current instant; to be called where data is read. */
  readAt(): Instant {
    const at = this.#times.now();
    const isSamePoll = at - this.#polledAt < samePollMs;
    const polledMs = isSamePoll ? this.#polledMs : this.#times.polledMs();
    if (!isSamePoll) this.#polledAt = at;
    if (polledMs !== this.#polledMs || this.#isOver) {
      const isPrompt = polledMs - this.#polledMs < promptPollMs;
      this.#begin(isPrompt ? this.#startedAt : this.#stalledSince(at), at, polledMs);
    } else if (at - this.#from >= minWaitMs && !this.#isEndDeferred) {
      // Polls that do not wait at all are not counted: a long turn may be several.
      this.#isEndDeferred = true;
      this.#times.defer(this.#end);
    }
    this.#lastAt = at;
    return instant(at);
  }

  /** The loop's timer fired, which it should do every `periodMs`. */
  ticked(periodMs: number): void {
    const at = this.#times.now();
    const from = this.#stalledSince(at);
    // Data that the next poll finds has arrived since then, unless the poll waits.
    if (from < at) {
      this.#begin(from, from, this.#times.polledMs());
      this.#lastAt = at;
    }
    this.#tickedAt = at;
    this.#tickDueAt = at + periodMs;
  }

  /** Returns the instant since which a stall of the loop may have lasted that has ended now; now if there was none. */
  #stalledSince(at: number): number {
    // A stall delays the tick, and the loop may read before it ticks. On average it has lasted as long before the tick was due as after.
    const lateMs = at - this.#tickDueAt;
    return lateMs > minLateMs ? Math.max(this.#lastAt, this.#tickedAt, this.#tickDueAt - lateMs) : at;
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
    if (at >= this.#startedAt - roundingMs) {
      if (at > this.#lastAt) this.#lastAt = at;
      return atLeast(at - this.#from);
    }
    const newest = this.#count - 1;
    if (newest < 0 || at > (this.#ends[newest % kept] ?? 0) + roundingMs) return ms(0);
    // The first turn that ended at the instant or later.
    let [low, high] = [Math.max(0, this.#count - kept), newest];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#ends[middle % kept] ?? 0) + roundingMs < at) low = middle + 1;
      else high = middle;
    }
    const from = this.#starts[low % kept] ?? 0;
    return at > from ? atLeast(at - from) : ms(0);
  }

  /** Returns an instant of the latest long turn that ended between two instants, or the second one. */
  latestBetween(from: Instant, at: Instant): Instant {
    const isLong = this.#lastAt - this.#from >= minWaitMs;
    const end = isLong ? this.#lastAt : (this.#ends[(this.#count - 1 + kept) % kept] ?? 0);
    return end > from && end <= at ? instant(end) : at;
  }

  /** Bound once, because busy loops need it often. */
  readonly #end = (): void => {
    this.#isEndDeferred = false;
    this.#isOver = true;
  };

  #begin(from: number, at: number, polledMs: number): void {
    if (this.#lastAt - this.#from >= minWaitMs) {
      this.#starts[this.#count % kept] = this.#from;
      this.#ends[this.#count % kept] = this.#lastAt;
      this.#count++;
    }
    this.#from = from;
    this.#startedAt = at;
    this.#polledMs = polledMs;
    this.#isOver = false;
  }
}

const atLeast = (waitedMs: number): Ms => ms(waitedMs < minWaitMs ? 0 : waitedMs);

/** The turns of this thread's event loop. */
export const loopTurns = new LoopTurns();
