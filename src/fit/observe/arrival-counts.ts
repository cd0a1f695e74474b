import type { Random } from '../../base/random.ts';
import { clockUnits, Reservoir, Resolution } from './sample.ts';

/** Gaps between sessions that started in one bin of time. */
export interface ArrivalBin {
  sessions: number;
  gaps: number;
  sum: number;
  sumLog: number;
  sumSquared: number;
}

/** Counts session starts in order, by time and by gap, in constant memory. */
export class ArrivalCounts {
  readonly bins: ArrivalBin[];
  readonly binMs: number;
  sessions = 0;
  zeros = 0;
  readonly #windows: readonly WindowScatter[];
  readonly #gaps: Reservoir<{ gapMs: number; bin: number }>;
  #last: number | undefined;
  readonly #resolution = new Resolution(clockUnits);

  constructor(whole: { sessions: number; lengthMs: number }, binMs: number, random: Random) {
    this.binMs = binMs;
    this.bins = Array.from({ length: Math.max(1, Math.ceil(whole.lengthMs / binMs)) }, () => ({
      sessions: 0,
      gaps: 0,
      sum: 0,
      sumLog: 0,
      sumSquared: 0,
    }));
    this.#windows = scattersOf(whole);
    this.#gaps = new Reservoir(random);
  }

  /** Sessions by rising start. */
  add(atMs: number): void {
    this.sessions += 1;
    this.#binAt(this.#indexOf(atMs)).sessions += 1;
    for (const windows of this.#windows) windows.add(atMs);
    this.#resolution.add(atMs);
    if (this.#last !== undefined) this.#addGap(this.#last, atMs - this.#last);
    this.#last = atMs;
  }

  /** A seeded sample of gaps, each with its bin. */
  get kept(): readonly { gapMs: number; bin: number }[] {
    return this.#gaps.kept;
  }

  /** Resolution of the trace's clock, in milliseconds; 0: any length. */
  get resolutionMs(): number {
    return this.#resolution.unit;
  }

  /** Dispersion over windows of about 20 sessions, or of the clock's resolution if longer. */
  get dispersion(): Dispersion | undefined {
    return this.#windows.find(({ windowMs }, index) => windowMs >= (index === 0 ? 10 : 1) * this.resolutionMs)
      ?.dispersion;
  }

  #indexOf(atMs: number): number {
    return Math.min(this.bins.length - 1, Math.floor(atMs / this.binMs));
  }

  #binAt(index: number): ArrivalBin {
    const bin = this.bins[index];
    if (bin === undefined) throw new RangeError('a session started outside of the trace');
    return bin;
  }

  /** Adds a gap to the bin in which it began. */
  #addGap(fromMs: number, gapMs: number): void {
    const index = this.#indexOf(fromMs);
    const bin = this.#binAt(index);
    bin.gaps += 1;
    bin.sum += gapMs;
    bin.sumSquared += gapMs * gapMs;
    if (gapMs > 0) bin.sumLog += Math.log(gapMs);
    else this.zeros += 1;
    this.#gaps.add({ gapMs, bin: index });
  }
}

/** Returns the dispersion of counts in neighbouring windows of one length: a slow change of the rate does not affect it. */
class WindowScatter {
  readonly windowMs: number;
  #pairs = 0;
  /** Half the sum of squared differences between neighbours. */
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

interface Dispersion {
  value: number;
  error: number;
}

const sessionsInWindow = 20;
/** Multiples of clock resolutions, in milliseconds. */
const lengths = [10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000] as const;

/** Windows of about 20 events and longer ones, for a clock that is too coarse for those. */
function scattersOf({ sessions, lengthMs }: { sessions: number; lengthMs: number }): WindowScatter[] {
  const min = (lengthMs / sessions) * sessionsInWindow;
  const longer = lengths.filter((length) => length > min && length * 20 <= lengthMs);
  return [min, ...longer].map((length) => new WindowScatter(length));
}
