import { storeCounters, sumCounters } from './counters.ts';
import { shortestIntervalMs, startOf } from './interval-width.ts';
import { joinInTime, type IntervalLevels } from './gauges.ts';
import { seriesNames } from './series.ts';
import { inOrder, type IntervalTally } from './snapshot.ts';
import { mergeSeries } from './stored-series.ts';

/** Defers a function until other pending work has run: `setImmediate`, or a replacement in tests. */
export type Defer = (run: () => void) => void;

/** Work in steps of about a quarter of a millisecond. */
export type Steps = Generator<undefined, void>;

/**
 * Runs jobs in the order in which they were added, one step per turn of the event loop, so that it is never blocked for
 * long: encoding the histograms of a second takes some milliseconds.
 */
export class StepQueue {
  readonly #waiting: Steps[] = [];
  readonly #defer: Defer;
  #isScheduled = false;

  constructor(defer: Defer) {
    this.#defer = defer;
  }

  add(steps: Steps): void {
    this.#waiting.push(steps);
    this.#schedule();
  }

  drain(): void {
    while (this.#step());
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    this.#defer(() => {
      this.#isScheduled = false;
      this.#step();
      this.#schedule();
    });
  }

  /** Runs one step; returns `false` if there was nothing to do. */
  #step(): boolean {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    if (first.next().done === true) this.#waiting.shift();
    return true;
  }
}

/** Number of `fold` calls that bring all intervals to a new width. */
const foldsToWiden = 200;

/**
 * The closed intervals of a run, at most about 600. When a run outgrows them the width doubles: the present intervals become
 * `narrow` and are folded into the wider ones step by step, since merging encoded histograms is slow. Slow work is returned
 * as steps for the caller to run.
 */
export class IntervalStore {
  width = shortestIntervalMs;
  readonly #levels = new Map<string, IntervalLevels>();
  #wide = new Map<string, IntervalTally>();
  #narrow: IntervalTally[] = [];
  #foldedAtOnce = 0;

  /** Adds the tally of an interval, or of a part of one, to the intervals of the current width. */
  *add(tally: IntervalTally): Steps {
    const startMs = startOf(tally.startMs, this.width);
    const key = `${String(startMs)} ${String(tally.warmUp)} ${String(tally.policy)}`;
    const there = this.#wide.get(key);
    this.#wide.set(key, there === undefined ? { ...tally, startMs } : yield* mergeInSteps(there, tally));
  }

  addLevels(levels: IntervalLevels): void {
    const startMs = startOf(levels.startMs, this.width);
    const key = `${String(startMs)} ${String(levels.warmUp)}`;
    const there = this.#levels.get(key);
    this.#levels.set(key, there === undefined ? { ...levels, startMs } : joinInTime(there, levels));
  }

  /** Changes to a greater width; the present intervals wait to be folded. */
  *widen(width: number): Steps {
    if (width <= this.width) return;
    yield* this.foldAll();
    this.width = width;
    this.#narrow = [...this.#wide.values()];
    this.#wide = new Map();
    this.#foldedAtOnce = Math.ceil(this.#narrow.length / foldsToWiden);
    const levels = [...this.#levels.values()];
    this.#levels.clear();
    for (const each of levels) this.addLevels(each);
  }

  *fold(): Steps {
    for (const tally of this.#narrow.splice(0, this.#foldedAtOnce)) yield* this.add(tally);
  }

  *foldAll(): Steps {
    for (const tally of this.#narrow.splice(0)) yield* this.add(tally);
  }

  /** Returns all intervals by start; complete once all narrow intervals have been folded. */
  intervals(): IntervalTally[] {
    return [...this.#wide.values()].toSorted(inOrder);
  }

  levels(): IntervalLevels[] {
    return [...this.#levels.values()];
  }
}

function* mergeInSteps(there: IntervalTally, tally: IntervalTally): Generator<undefined, IntervalTally> {
  const merged: IntervalTally = { ...there, counters: storeCounters(sumCounters([there.counters, tally.counters])) };
  merged.series = {};
  for (const name of seriesNames) {
    const parts = [there.series[name], tally.series[name]].filter((each) => each !== undefined);
    const series = mergeSeries(parts);
    if (series !== undefined) merged.series[name] = series;
    if (parts.length > 1) yield;
  }
  return merged;
}
