import type { Family, Sums } from './sample-reader.ts';
import { isLess, isPositive, isReadable, levelOf } from './level-of.ts';

const nothing: Sums = { sum: 0, count: 0, idle: 0, buckets: new Map() };

/** Subtracts earlier sums. */
export function difference(now: Sums, before: Sums): Sums {
  const { sum, count, idle } = before;
  return {
    sum: now.sum - sum,
    count: now.count - count,
    idle: now.idle - idle,
    buckets: new Map([...now.buckets].map(([bound, total]) => [bound, total - (before.buckets.get(bound) ?? 0)])),
  };
}

/** Adds sums. Returns new ones. */
function sumOf(parts: readonly Sums[]): Sums {
  const into: Sums = { sum: 0, count: 0, idle: 0, buckets: new Map() };
  for (const { sum, count, idle, buckets } of parts) {
    into.sum += sum;
    into.count += count;
    into.idle += idle;
    for (const [bound, total] of buckets) into.buckets.set(bound, (into.buckets.get(bound) ?? 0) + total);
  }
  return into;
}

/** Signs of several processes in the label sets of a series, since the previous scrape. */
export interface Signs {
  /** A label set decreased, without a restart of the process. */
  fell: boolean;
  /** It had decreased before. */
  fellAgain: boolean;
  /** A label set that had decreased or disappeared suddenly has at least its earlier value again. */
  returned: boolean;
  /** A label set grew over the last three scrapes without decreasing: one process counted it. */
  grew: boolean;
}

const none: Readonly<Signs> = { fell: false, fellAgain: false, returned: false, grew: false };

/** A label set as of the latest scrapes. */
interface Followed {
  /** Latest readable values; `undefined`: none yet. */
  values: Sums | undefined;
  /** True if it was in the latest scrape, without a readable value. */
  isUnreadable: boolean;
  /** True if it was not in the latest scrape. */
  isMissing: boolean;
  /** Number of decreases. */
  falls: number;
  /** Level before the latest decrease, until it is reached again. */
  peak: number | undefined;
  /** Largest step since that decrease; `undefined`: none yet. */
  maxStep: number | undefined;
  /** Level of the scrape before the latest one. */
  older: number;
  /** Number of scrapes in a row without a decrease. */
  steps: number;
}

interface Following {
  /** True if the process was restarted since the previous scrape: it counts from zero. */
  isRestarted: boolean;
  /** True if a series of the endpoint fell without a restart: the values may be those of another process. */
  isBroken: boolean;
  /** False for scrapes that only look for several processes. */
  isCounted: boolean;
}

/**
 * Counts the increase of a counter or a histogram: of each label set, and then summed. A label set that appears counts from
 * zero, and one that disappears keeps its increase. A scrape that fell without a restart adds nothing, nor do label sets
 * that replace others: they may be the history of another process.
 */
export class SeriesCount {
  /** Values at the first and at the latest scrape, summed over the label sets; `undefined` if none were readable. */
  first: Sums | undefined;
  latest: Sums | undefined;
  increase: Sums = nothing;
  /** Number of scrapes in which a series of the endpoint had decreased, or the process had been restarted. */
  resets = 0;
  /** Number of label sets that disappeared. */
  vanished = 0;
  readonly #sets = new Map<string, Followed>();
  readonly #outlives: boolean;
  #scrapes = 0;
  #wasPartial = false;
  #hasUnknownStart = false;
  #hasUnknownEnd = false;

  /** `outlives`: the counter is not of the process that exports it, such as the CPU seconds of a machine. */
  constructor(outlives: boolean) {
    this.#outlives = outlives;
  }

  /** True if the increase is all that the scrapes could contain; false if it is a lower bound. */
  get isExact(): boolean {
    return this.resets === 0 && this.vanished === 0 && !this.#hasUnknownStart && !this.#hasUnknownEnd;
  }

  /** True if the series was found, but none of its values were readable. */
  get isUnknown(): boolean {
    return this.#sets.size > 0 && [...this.#sets.values()].every(({ values }) => values === undefined);
  }

  /** Reports whether a label set has decreased since the previous scrape; never for a counter of the machine. */
  hasFallen(family: Family | undefined): boolean {
    if (this.#outlives) return false;
    return [...(family?.sets ?? [])].some(([key, now]) => {
      const before = this.#sets.get(key)?.values;
      return before !== undefined && isReadable(now) && isLess(now, before);
    });
  }

  /** Takes the series of the next scrape; `undefined` if it has none. Returns no signs for a counter of the machine. */
  add(family: Family | undefined, { isRestarted, isBroken, isCounted }: Following): Readonly<Signs> {
    const signs: Signs = { ...none };
    const isOfOther = isBroken && !this.#outlives;
    const hadCounted = this.#hasCounted();
    if (isRestarted && !this.#outlives) this.#restart(hadCounted && isCounted);
    const isPartial = family?.isPartial ?? false;
    const vanished = isPartial ? 0 : this.#miss(family);
    const isOwn = this.#outlives || (!isBroken && vanished === 0);
    const changes = [...(family?.sets ?? [])].flatMap(([key, now]) => {
      const set = this.#sets.get(key);
      return (set === undefined ? this.#begin(key, now, isOwn) : this.#follow(set, now, signs)) ?? [];
    });
    this.#wasPartial = isPartial;
    this.#scrapes++;
    if (isCounted) {
      if (isOfOther && (hadCounted || this.#hasCounted())) this.resets++;
      this.vanished += vanished;
      if (!isOfOther) this.increase = sumOf([this.increase, ...changes]);
      this.latest = this.#total();
      this.#hasUnknownEnd = isPartial || [...this.#sets.values()].some((set) => set.isUnreadable);
      if (this.#scrapes === 1) this.first = this.latest;
    }
    return this.#outlives ? none : signs;
  }

  #hasCounted(): boolean {
    return [...this.#sets.values()].some(({ values }) => isPositive(values));
  }

  /** Marks the label sets that a scrape lacks. Returns how many of them had counted. */
  #miss(family: Family | undefined): number {
    const missing = [...this.#sets].flatMap(([key, set]) =>
      family?.sets.has(key) === true || set.isMissing ? [] : set,
    );
    for (const set of missing) {
      set.isMissing = true;
      set.isUnreadable = false;
      set.steps = 0;
    }
    return missing.filter(({ values }) => isPositive(values)).length;
  }

  /** Forgets the values of a process that has ended: the next one counts from zero. */
  #restart(isReset: boolean): void {
    if (isReset) this.resets++;
    this.#sets.clear();
    this.#wasPartial = false;
  }

  /** Takes a new label set: it was zero before, unless it may have been in an earlier scrape or, if not `isOwn`, in another process. */
  #begin(key: string, now: Sums, isOwn: boolean): Sums | undefined {
    const isNew = this.#scrapes > 0 && !this.#wasPartial && isOwn;
    const isUnreadable = !isReadable(now);
    if (this.#scrapes > 0 ? this.#wasPartial : isUnreadable) this.#hasUnknownStart = true;
    const values = isUnreadable ? (isNew ? nothing : undefined) : now;
    const level = values === undefined ? 0 : levelOf(values);
    this.#sets.set(key, {
      values,
      isUnreadable,
      isMissing: false,
      falls: 0,
      peak: undefined,
      maxStep: undefined,
      older: level,
      steps: 0,
    });
    return isNew && !isUnreadable ? now : undefined;
  }

  #follow(set: Followed, now: Sums, signs: Signs): Sums | undefined {
    const wasMissing = set.isMissing;
    set.isMissing = false;
    set.isUnreadable = !isReadable(now);
    if (set.isUnreadable) return undefined;
    const { values: before, older } = set;
    set.values = now;
    if (before === undefined) {
      set.older = levelOf(now);
      return undefined;
    }
    set.older = levelOf(before);
    if (isLess(now, before)) {
      // The kernel corrects such counters by small amounts.
      if (this.#outlives) return undefined;
      set.falls++;
      set.peak = levelOf(before);
      set.maxStep = undefined;
      set.steps = 0;
      signs.fell = true;
      if (set.falls > 1) signs.fellAgain = true;
      return undefined;
    }
    set.steps++;
    const level = levelOf(now);
    if (hasReturned(set, level) || (wasMissing && level > 0)) signs.returned = true;
    else if (set.steps > 1 && level > older) signs.grew = true;
    return difference(now, before);
  }

  #total(): Sums | undefined {
    if (this.isUnknown) return undefined;
    return sumOf(
      [...this.#sets.values()].flatMap(({ values, isMissing }) => (values === undefined || isMissing ? [] : values)),
    );
  }
}

/** Factor by which a step is larger than those of a counter that grows from zero. */
const sudden = 4;

/** Reports whether a label set reaches its level before a decrease again, by a step that its growth does not explain. */
function hasReturned(set: Followed, level: number): boolean {
  const { peak, maxStep } = set;
  if (peak === undefined) return false;
  const step = level - set.older;
  set.maxStep = Math.max(step, maxStep ?? 0);
  if (level < peak) return false;
  set.peak = undefined;
  return maxStep === undefined || step > sudden * maxStep;
}
