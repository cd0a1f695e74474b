/** How often one connection is answered, in closed load: the next turn is sent when an answer is there. */
export class ConnectionPace {
  answered = 0;
  ok = 0;
  readonly #startedAt: number;
  #firstAt = 0;
  #lastAt = 0;
  #isFirstOk = false;

  /** Instants are milliseconds of one monotonic clock. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  answer(at: number, isOk: boolean): void {
    if (this.answered === 0) {
      this.#firstAt = at;
      this.#isFirstOk = isOk;
    }
    this.answered++;
    if (isOk) this.ok++;
    this.#lastAt = at;
  }

  /**
   * Ok answers per second, from answer to answer: neither the connecting before the first nor what the end cut counts,
   * which would make slow targets look slower the shorter a step is. A wait of more than two answers' time at the end
   * is a stall, not a cut, and counts.
   */
  perSecond(endedAt: number): number {
    if (this.answered === 0) return 0;
    const isSingle = this.answered === 1;
    const from = isSingle ? this.#startedAt : this.#firstAt;
    const gapMs = (this.#lastAt - from) / (isSingle ? 1 : this.answered - 1);
    const until = endedAt - this.#lastAt > 2 * gapMs ? endedAt : this.#lastAt;
    const counted = this.ok - (!isSingle && this.#isFirstOk ? 1 : 0);
    return (counted * 1000) / Math.max(until - from, leastMs);
  }
}

const leastMs = 0.001;

/** Reads how much processor time this process takes, all of its threads: the share of one core, and in microseconds. */
export function cpuMeter(): () => { share: number; us: number; elapsedMs: number } {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(before);
    const elapsedMs = performance.now() - startedAt;
    return { share: (user + system) / 1000 / elapsedMs, us: user + system, elapsedMs };
  };
}
