import type { Random } from '../../base/random.ts';

const maxKept = 20_000;

/** A seeded sample of bounded size, in which each value is equally likely. */
export class Reservoir<Value> {
  readonly kept: Value[] = [];
  #count = 0;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  add(value: Value): void {
    this.#count += 1;
    const at = this.kept.length < maxKept ? this.kept.length : Math.floor(this.#random() * this.#count);
    if (at < maxKept) this.kept[at] = value;
  }
}

/** Summary of many values in constant memory: exact sums, and a sample for quantiles. */
export class Sample {
  count = 0;
  /** Values of 0 or less. */
  zeros = 0;
  /** Sum of the positive values. */
  sum = 0;
  sumLog = 0;
  sumLogSquared = 0;
  min = Infinity;
  max = -Infinity;
  readonly #kept: Reservoir<number>;
  readonly #resolution: Resolution;

  /** `units`: the coarse units that values may be multiples of, the largest first. */
  constructor(random: Random, units: readonly number[]) {
    this.#kept = new Reservoir(random);
    this.#resolution = new Resolution(units);
  }

  add(value: number): void {
    this.count += 1;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    this.#kept.add(value);
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

  /** Largest unit of which all values are multiples; 0 if there is none. */
  get resolution(): number {
    return this.#resolution.unit;
  }

  /** Returns the values in ascending order. */
  sorted(): number[] {
    return [...this.#kept.kept].sort((a, b) => a - b);
  }
}

/** Returns the largest unit of which all values are multiples: the clock's resolution. */
export class Resolution {
  readonly #units: readonly number[];
  #at = 0;

  /** `units`, the largest first. */
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

/** Clock resolutions, in milliseconds. */
export const clockUnits = [60_000, 1000, 100, 10, 1] as const;

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** From 10 s to a day. */
const lengths = [
  ...[10, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 4, 6, 12, 24].map((count) => count * hour),
];

/** Mean minimum number of sessions in a bin: a rate of 50 is known to within 14 %. */
const minInBin = 50;
/** Levels of a scenario should be readable; by hour, a week of them. */
const maxBins = 30;
const maxHourlyBins = 168;

/** Returns the length of the bins for the rate of a trace, in milliseconds; `undefined` if there are too few sessions for two bins. */
export function binLength({ sessions, lengthMs }: { sessions: number; lengthMs: number }): number | undefined {
  return lengths.find((length) => {
    const bins = Math.ceil(lengthMs / length);
    const max = length < hour ? maxBins : maxHourlyBins;
    return bins >= 2 && bins <= max && sessions / (lengthMs / length) >= minInBin;
  });
}

/** Sessions with a number of turns. */
export interface TurnCount {
  turns: number;
  sessions: number;
}

/** Maximum number of turns of a session in a scenario. */
const maxTurns = 100_000;

export class TurnTally {
  sessions = 0;
  /** Sessions with more turns than the maximum of a scenario, counted with that maximum. */
  clipped = 0;
  readonly #sessions = new Map<number, number>();

  add(turns: number): void {
    this.sessions += 1;
    if (turns > maxTurns) this.clipped += 1;
    const counted = Math.min(maxTurns, Math.max(1, turns));
    this.#sessions.set(counted, (this.#sessions.get(counted) ?? 0) + 1);
  }

  /** Returns the counts by number of turns, in ascending order. */
  counts(): TurnCount[] {
    return [...this.#sessions].map(([turns, sessions]) => ({ turns, sessions })).sort((a, b) => a.turns - b.turns);
  }
}
