import type { Random } from '../../base/random.ts';
import { Resolution } from './resolution.ts';

/** The most values that are kept: beyond it, a seeded choice of them in which each is equally likely. */
export const mostKept = 20_000;

/** What is known of many values in constant memory: exact sums, and a sample for quantiles. */
export class Sample {
  count = 0;
  /** Values of 0 or less. */
  zeros = 0;
  /** Of positive values. */
  sum = 0;
  sumLog = 0;
  sumLogSquared = 0;
  min = Infinity;
  max = -Infinity;
  readonly #kept: number[] = [];
  readonly #random: Random;
  readonly #resolution: Resolution;

  /** `units`: the coarse units that values may be multiples of, from the greatest on. */
  constructor(random: Random, units: readonly number[]) {
    this.#random = random;
    this.#resolution = new Resolution(units);
  }

  add(value: number): void {
    this.count += 1;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    this.#keep(value);
    this.#resolution.add(value);
    if (value <= 0) {
      this.zeros += 1;
      return;
    }
    const log = Math.log(value);
    this.sum += value;
    this.sumLog += log;
    this.sumLogSquared += log * log;
  }

  /** The greatest unit of which all are multiples; 0: of none. */
  get resolution(): number {
    return this.#resolution.unit;
  }

  get isSampled(): boolean {
    return this.count > this.#kept.length;
  }

  /** By rising value. */
  sorted(): number[] {
    return [...this.#kept].sort((a, b) => a - b);
  }

  #keep(value: number): void {
    if (this.#kept.length < mostKept) this.#kept.push(value);
    else {
      const at = Math.floor(this.#random() * this.count);
      if (at < mostKept) this.#kept[at] = value;
    }
  }
}
