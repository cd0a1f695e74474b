import { between, instant, ms, type Instant } from '../../base/time.ts';

/** Mean time between two probes. */
export const probePeriodMs = 20;

/** A stall that is shorter may contain no probe by chance. */
const minStallMs = 2 * probePeriodMs;

/** Maximum time between two probes. */
export const maxProbeGapMs = 1.5 * probePeriodMs;

/**
 * Finds the probes that were never sent: if the system suspends or throttles the whole process, it stops the thread that sends
 * them as well, while replies go on arriving. A stall of the event loop in which the thread sent nothing is such a suspension; a
 * stall with probes was of the loop alone, and is already measured.
 */
export class MissedProbes {
  #aliveAt: Instant;
  #stall: { from: Instant; to: Instant } | undefined;
  #wasProbed = false;
  /** Instants at which the latest two received probes were sent. */
  #lastSent: readonly Instant[] = [];

  constructor(startedAt: Instant) {
    this.#aliveAt = startedAt;
  }

  /** The loop has run, as it should every `periodMs`; returns whether it had stalled. */
  sign(at: Instant, periodMs: number): boolean {
    const dueAt = instant(this.#aliveAt + periodMs);
    this.#aliveAt = at;
    if (between(dueAt, at) < minStallMs) return false;
    this.#stall = { from: dueAt, to: at };
    // The loop may receive probes before it ticks.
    const stall = this.#stall;
    this.#wasProbed = this.#lastSent.some((sentAt) => this.#isOf(stall, sentAt));
    return true;
  }

  /** A probe was received, which was sent at an instant. */
  received(sentAt: Instant): void {
    this.#lastSent = [...this.#lastSent.slice(-1), sentAt];
    if (this.#stall !== undefined && this.#isOf(this.#stall, sentAt)) this.#wasProbed = true;
  }

  /** Reports whether a probe was sent during a stall. */
  #isOf({ from, to }: { from: Instant; to: Instant }, sentAt: Instant): boolean {
    // A thread that resumes with the process sends its overdue probe just before the loop runs.
    const lastMs = minStallMs - maxProbeGapMs;
    return sentAt > from && sentAt < to - lastMs;
  }

  /** Returns the missed probes of the latest stall, once: the instants at which they were due, and the end of the stall. */
  take(): { sentAt: Instant; readAt: Instant }[] {
    const stall = this.#stall;
    this.#stall = undefined;
    if (stall === undefined || this.#wasProbed) return [];
    const count = Math.floor(ms(between(stall.from, stall.to)) / probePeriodMs);
    return Array.from({ length: count }, (_, at) => ({
      sentAt: instant(stall.from + (at + 0.5) * probePeriodMs),
      readAt: stall.to,
    }));
  }
}
