/** The greatest of some units of which all values are multiples: what a clock tells apart. */
export class Resolution {
  readonly #units: readonly number[];
  #at = 0;

  /** `units` from the greatest on. */
  constructor(units: readonly number[]) {
    this.#units = units;
  }

  add(value: number): void {
    while (this.#at < this.#units.length && !isMultiple(value, this.#units[this.#at] ?? 1)) this.#at += 1;
  }

  /** 0: values are multiples of none. */
  get unit(): number {
    return this.#units[this.#at] ?? 0;
  }
}

const isMultiple = (value: number, unit: number): boolean =>
  Math.abs(value / unit - Math.round(value / unit)) * unit <= 1e-6;

/** Of clocks, in milliseconds. */
export const clockUnits = [60_000, 1000, 100, 10, 1] as const;
