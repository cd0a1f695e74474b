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

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** From 10 s to a day. */
const lengths = [
  ...[10, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 4, 6, 12, 24].map((count) => count * hour),
];

/** The fewest sessions that a bin holds in the mean: a rate of 50 is known to within 14 %. */
const leastInBin = 50;
/** Levels of a scenario should be readable; by hour, a week of them. */
const mostBins = 30;
const mostHourlyBins = 168;

/** The length of the bins that a trace's rate is counted in, in milliseconds; `undefined`: there are too few sessions for two of them. */
export function binLength({ sessions, lengthMs }: { sessions: number; lengthMs: number }): number | undefined {
  return lengths.find((length) => {
    const bins = Math.ceil(lengthMs / length);
    const most = length < hour ? mostBins : mostHourlyBins;
    return bins >= 2 && bins <= most && sessions / (lengthMs / length) >= leastInBin;
  });
}
