import type { Random } from '../../base/random.ts';
import { clockUnits, Resolution } from './resolution.ts';
import { mostKept } from './sample.ts';
import { scattersOf, type Dispersion, type WindowScatter } from './window-scatter.ts';

/** Gaps between sessions that started in one bin of time. */
export interface ArrivalBin {
  sessions: number;
  gaps: number;
  sum: number;
  sumLog: number;
  sumSquared: number;
}

/** Counts session starts as they come, by time and by gap, in constant memory. */
export class ArrivalCounts {
  readonly bins: ArrivalBin[];
  readonly binMs: number;
  sessions = 0;
  zeros = 0;
  /** A seeded choice of gaps, each with its bin. */
  readonly kept: { gapMs: number; bin: number }[] = [];
  readonly #windows: readonly WindowScatter[];
  readonly #random: Random;
  #last: number | undefined;
  #gaps = 0;
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
    this.#random = random;
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

  /** What the clock of the trace tells apart, in milliseconds; 0: any length. */
  get resolutionMs(): number {
    return this.#resolution.unit;
  }

  /** Of windows of about 20 sessions, or of the shortest that the clock tells apart. */
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

  /** A gap belongs to the bin in which it began. */
  #addGap(fromMs: number, gapMs: number): void {
    const index = this.#indexOf(fromMs);
    const bin = this.#binAt(index);
    this.#gaps += 1;
    bin.gaps += 1;
    bin.sum += gapMs;
    bin.sumSquared += gapMs * gapMs;
    if (gapMs > 0) bin.sumLog += Math.log(gapMs);
    else this.zeros += 1;
    const kept = { gapMs, bin: index };
    if (this.kept.length < mostKept) this.kept.push(kept);
    else {
      const at = Math.floor(this.#random() * this.#gaps);
      if (at < mostKept) this.kept[at] = kept;
    }
  }
}
