import { storeCounters, sumCounters } from './counters.ts';
import { shortestIntervalMs, startOf } from './interval-width.ts';
import { joinInTime, type IntervalLevels } from './gauges.ts';
import { seriesNames } from './series.ts';
import { inOrder, type IntervalTally } from './snapshot.ts';
import { mergeSeries } from './stored-series.ts';

/** Calls a function soon, after whatever else is waiting to run: `setImmediate`, or a test's own. */
export type Defer = (run: () => void) => void;

/** Work in steps of about a quarter of a millisecond. */
export type Steps = Generator<undefined, void>;

/**
 * Does pieces of work in the order in which they were added, one step per turn of the event loop, so
 * that it is never held up for long: a second's histograms take some milliseconds to encode.
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

  /** Does everything that is left, now. */
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

  /** Whether there was anything to do. */
  #step(): boolean {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    if (first.next().done === true) this.#waiting.shift();
    return true;
  }
}

/** How many calls of `fold` it takes to bring all intervals to a new width. */
const foldsToWiden = 200;

/**
 * The closed intervals of a run, at most about 600. When it outgrows them the width doubles: the present intervals become
 * `narrow` and are folded into the wider intervals step by step, since merging encoded histograms is slow. Whatever
 * is slow is returned as steps for the caller to perform.
 */
export class IntervalStore {
  width = shortestIntervalMs;
  readonly #levels = new Map<string, IntervalLevels>();
  #wide = new Map<string, IntervalTally>();
  #narrow: IntervalTally[] = [];
  #foldedAtOnce = 0;

  /** Adds the tally of an interval, or of a part of one, to those of its width. */
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

  /** Folds a few of the narrow intervals. */
  *fold(): Steps {
    for (const tally of this.#narrow.splice(0, this.#foldedAtOnce)) yield* this.add(tally);
  }

  *foldAll(): Steps {
    for (const tally of this.#narrow.splice(0)) yield* this.add(tally);
  }

  /** Everything, by start; complete once all narrow intervals have been folded. */
  intervals(): IntervalTally[] {
    return [...this.#wide.values()].toSorted(inOrder);
  }

  /** In no order. */
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
