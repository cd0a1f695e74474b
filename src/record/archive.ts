import { storeCounters } from './counters.ts';
import type { Example } from './examples.ts';
import { IntervalStore, StepQueue, type Defer, type Steps } from './interval-store.ts';
import { shortestIntervalMs, widthFor } from './interval-width.ts';
import type { Partition } from './partition.ts';
import type { IntervalLevels } from './gauges.ts';
import { type LiveTally, storeTally, type Tally } from './tally.ts';
import { type IntervalTally, type PartitionTally, type Snapshot, mergeSnapshots } from './snapshot.ts';
import { seriesNames, type SeriesName } from './series.ts';
import type { SlowTurn } from './slow-turns.ts';
import type { Violation } from './violations.ts';

interface ArchiveOptions {
  workers: readonly string[];
  warmUpMs: number;
  defer: Defer;
  /** Called with the snapshot of each single interval once it is closed. */
  onInterval: ((piece: Snapshot) => void) | undefined;
}

export interface EndedInterval {
  startMs: number;
  tallies: readonly { partition: Partition; live: LiveTally }[];
  levels: readonly IntervalLevels[];
  examples: readonly Example[];
  violations: readonly Violation[];
  slowTurns?: readonly SlowTurn[];
}

/** Single events that are kept besides the sums. */
type Kept = Pick<EndedInterval, 'examples' | 'violations' | 'slowTurns'>;

/** Returns the intervals that ended by `beforeMs`, in order; the first also takes the single events kept since the last call. */
export function takeEnded(
  partitions: readonly Partition[],
  levels: readonly IntervalLevels[],
  beforeMs: number,
  takeKept: () => Kept,
): EndedInterval[] {
  const tallies = partitions.flatMap((partition) => partition.takeEnded(beforeMs).map((live) => ({ partition, live })));
  const starts = new Set([...levels.map((each) => each.startMs), ...tallies.map(({ live }) => live.from)]);
  const kept = starts.size === 0 ? none : takeKept();
  return [...starts]
    .toSorted((a, b) => a - b)
    .map((startMs, at) => ({
      startMs,
      tallies: tallies.filter(({ live }) => live.from === startMs),
      levels: levels.filter((each) => each.startMs === startMs),
      ...(at === 0 ? kept : none),
    }));
}

const none: Kept = { examples: [], violations: [] };

/** Encodes ended intervals compactly and adds them to the totals, a little at a time. */
export class Archive {
  readonly #options: ArchiveOptions;
  readonly #store = new IntervalStore();
  readonly #queue: StepQueue;
  /** Archived tallies whose series are not yet completely in the totals; the first one is processed next. */
  readonly #waiting: EndedInterval['tallies'][number][] = [];

  constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#queue = new StepQueue(options.defer);
  }

  /** Adds an interval. Its counters are in the totals at once, its series soon. */
  put(ended: EndedInterval): void {
    for (const { partition, live } of ended.tallies) partition.total.absorbCounters(live);
    this.#waiting.push(...ended.tallies);
    this.#queue.add(this.#close(ended));
  }

  /** Returns the tallies of a partition whose counters are in its total, but whose series are not yet. */
  waiting(partition: Partition): LiveTally[] {
    return this.#waiting.filter((each) => each.partition === partition).map(({ live }) => live);
  }

  /** Widens intervals to the width that the length of the run requires. */
  grow(elapsedMs: number): void {
    this.#queue.add(this.#store.widen(widthFor(elapsedMs)));
    this.#queue.add(this.#store.fold());
  }

  /** Calls a function after everything so far has been archived and published. */
  whenDone(call: () => void): void {
    this.#queue.add(
      (function* (): Steps {
        call();
        yield;
      })(),
    );
  }

  snapshot(
    elapsedMs: number,
    partitions: readonly Partition[],
    kept: Pick<Snapshot, 'examples' | 'violations' | 'slowTurns'>,
  ): Snapshot {
    this.grow(elapsedMs);
    this.#queue.add(this.#store.foldAll());
    this.#queue.drain();
    const closed = this.closed(elapsedMs, partitions, seriesNames);
    return mergeSnapshots({ ...closed, intervals: this.#store.intervals(), ...kept });
  }

  /** Returns the archived sums, without the intervals; series of the latest interval may still be missing. */
  closed(elapsedMs: number, partitions: readonly Partition[], wanted: readonly SeriesName[]): Snapshot {
    const totals = partitions.map(({ warmUp, policy, total }) => ({ warmUp, policy, ...storeTally(total, wanted) }));
    return this.#snapshotOf(elapsedMs, {
      intervalMs: this.#store.width,
      totals: totals.filter((tally) => Object.keys(tally.counters).length > 0),
      intervals: [],
      levels: this.#store.levels(),
      examples: [],
      violations: [],
    });
  }

  *#close({ startMs, tallies, levels, ...kept }: EndedInterval): Steps {
    const totals: PartitionTally[] = [];
    for (const { partition, live } of tallies)
      totals.push({ warmUp: partition.warmUp, policy: partition.policy, ...(yield* closeTally(partition, live)) });
    this.#waiting.splice(0, tallies.length);
    const intervals = totals.map((tally): IntervalTally => ({ startMs, ...tally }));
    const [examples, violations] = [[...kept.examples], [...kept.violations]];
    const slowTurns = kept.slowTurns === undefined ? {} : { slowTurns: [...kept.slowTurns] };
    const common = { intervalMs: shortestIntervalMs, totals, intervals, levels: [...levels] };
    const parts = { ...common, examples, violations, ...slowTurns };
    this.#options.onInterval?.(this.#snapshotOf(startMs + shortestIntervalMs, parts));
    for (const each of levels) this.#store.addLevels(each);
    for (const tally of intervals) yield* this.#store.add(tally);
  }

  #snapshotOf(
    elapsedMs: number,
    parts: Omit<Snapshot, 'kind' | 'schemaVersion' | 'workers' | 'elapsedMs' | 'warmUpMs'>,
  ): Snapshot {
    const { workers, warmUpMs } = this.#options;
    return { kind: 'chat-load/snapshot', schemaVersion: 1, workers: [...workers], elapsedMs, warmUpMs, ...parts };
  }
}

/** Adds the series of a tally to its partition's total, encodes them and releases their histograms, one per step. */
function* closeTally(partition: Partition, live: LiveTally): Generator<undefined, Tally> {
  const series: Tally['series'] = {};
  for (const name of seriesNames) {
    const each = live.series[name];
    const stored = each.store();
    if (stored === undefined) continue;
    series[name] = stored;
    partition.total.series[name].absorb(each);
    each.release();
    yield;
  }
  return { counters: storeCounters(live.counters), series };
}
