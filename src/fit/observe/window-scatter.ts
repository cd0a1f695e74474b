/** How counts of neighbouring windows of one length scatter: a slow change of the rate is not in it. */
export class WindowScatter {
  readonly windowMs: number;
  #pairs = 0;
  /** Of differences between neighbours: their squares, halved. */
  #squares = 0;
  #counted = 0;
  #at = 0;
  #count = 0;
  #before: number | undefined;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  /** Events by rising time. */
  add(atMs: number): void {
    const window = Math.floor(atMs / this.windowMs);
    for (; this.#at < window; this.#at++) this.#endWindow();
    this.#count += 1;
  }

  /** Variance over mean of the counts, with its standard error; `undefined` of under ten pairs. */
  get dispersion(): Dispersion | undefined {
    if (this.#pairs < 10) return undefined;
    const value = this.#squares / this.#counted;
    return { value, error: value * Math.sqrt(3 / this.#pairs) };
  }

  #endWindow(): void {
    if (this.#before !== undefined) {
      this.#squares += (this.#count - this.#before) ** 2 / 2;
      this.#counted += (this.#count + this.#before) / 2;
      this.#pairs += 1;
    }
    this.#before = this.#count;
    this.#count = 0;
  }
}

export interface Dispersion {
  value: number;
  error: number;
}

const sessionsInWindow = 20;
/** Multiples of what clocks tell apart, in milliseconds. */
const lengths = [10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000] as const;

/** Windows of about 20 events and longer ones, for a clock that is too coarse for those. */
export function scattersOf({ sessions, lengthMs }: { sessions: number; lengthMs: number }): WindowScatter[] {
  const least = (lengthMs / sessions) * sessionsInWindow;
  const longer = lengths.filter((length) => length > least && length * 20 <= lengthMs);
  return [least, ...longer].map((length) => new WindowScatter(length));
}
