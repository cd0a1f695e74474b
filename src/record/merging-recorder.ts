import type { Plan } from '../plan/plan.ts';
import { Archive, takeEnded } from './archive.ts';
import { addCounters, newCounters, type Counters } from './counters.ts';
import { Examples } from './examples.ts';
import { joinWorkers, type IntervalLevels } from './gauges.ts';
import { withoutWaits } from './shifts.ts';
import { HistogramPool } from './dense-histogram.ts';
import { LastSeconds, type Live } from './live.ts';
import { Partition, totalsOf, type PartitionTotals } from './partition.ts';
import type { Recorder } from './recorder.ts';
import { seriesNames, type SeriesName } from './series.ts';
import type { IntervalTally, PartitionTally, Snapshot } from './snapshot.ts';
import { readSparse, UnreadableHistogram, type SparseHistogram } from './sparse-histogram.ts';
import type { Defer } from './interval-store.ts';
import type { StoredSeries } from './stored-series.ts';
import { SlowTurns } from './slow-turns.ts';
import { mergeViolations, type Violation } from './violations.ts';

export interface MergingOptions {
  plan: Pick<Plan, 'warmUpMs' | 'retry'>;
  workers: readonly string[];
  defer?: Defer;
  /** Called with the snapshot of each single interval, for all workers, once it is closed. */
  onInterval?: (piece: Snapshot) => void;
}

/**
 * Sums the snapshots of several workers, interval by interval, as if one recorder had recorded them: exact except for the
 * maxima of levels, which are an upper bound. An interval stays open until the caller closes it; a piece that arrives later
 * is a further part of it.
 *
 *     piece of a worker -> open tally (interval) -> closed by the caller -> archive -> totals, closed intervals -> snapshot
 */
export class MergingRecorder implements Pick<Recorder, 'totals' | 'closed' | 'snapshot'> {
  readonly #pool = new HistogramPool();
  readonly #partitions: readonly Partition[];
  readonly #policies: number;
  readonly #archive: Archive;
  readonly #examples = new Examples();
  readonly #slowTurns = new SlowTurns();
  readonly #seconds = new LastSeconds();
  readonly #sums = new Map<string, PartitionSum[]>();
  #violations: Violation[] = [];
  #freshViolations: Violation[] = [];
  #levels: IntervalLevels[] = [];
  #closedMs = 0;

  constructor({ plan, workers, defer = setImmediate, onInterval }: MergingOptions) {
    this.#policies = plan.retry.length;
    this.#partitions = [true, false].flatMap((warmUp) =>
      plan.retry.map((_, policy) => new Partition(this.#pool, { warmUp, policy })),
    );
    this.#archive = new Archive({ workers, warmUpMs: plan.warmUpMs, defer, onInterval });
  }

  /**
   * Adds a snapshot of a worker: intervals of the minimum width; its totals are ignored. Throws without adding anything
   * if a histogram is unreadable or the plan does not have a policy.
   */
  add(worker: string, piece: Pick<Snapshot, 'intervals' | 'levels' | 'examples' | 'violations' | 'slowTurns'>): void {
    const read = piece.intervals.map((tally) => this.#read(tally));
    for (const tally of read) this.#addTally(worker, tally);
    for (const levels of piece.levels) this.#addLevels(levels);
    // Redacted by the workers.
    const asIs = (text: string): string => text;
    for (const example of piece.examples)
      if (this.#examples.wants(example.outcome, example.atMs)) this.#examples.keep(example, asIs);
    for (const turn of piece.slowTurns ?? []) if (this.#slowTurns.wants(turn.durationMs)) this.#slowTurns.keep(turn);
    this.#violations = mergeViolations([...this.#violations, ...piece.violations]);
    this.#freshViolations.push(...piece.violations.filter((each) => this.#violations.includes(each)));
  }

  countedBy(worker: string): readonly PartitionSum[] {
    return this.#sums.get(worker) ?? [];
  }

  /** Archives the intervals that ended by `beforeMs`, in milliseconds since the start. */
  close(beforeMs: number): void {
    const levels = this.#levels.filter(({ startMs }) => startMs < beforeMs);
    this.#levels = this.#levels.filter(({ startMs }) => startMs >= beforeMs);
    const takeKept = () => ({
      examples: this.#examples.takeFresh(),
      violations: this.#takeViolations(),
      ...this.#slowTurns.takeFresh(),
    });
    for (const ended of takeEnded(this.#partitions, levels, beforeMs, takeKept)) {
      if (ended.startMs >= this.#closedMs) this.#seconds.add(ended.tallies.map(({ live }) => live));
      this.#archive.put(ended);
    }
    if (!Number.isFinite(beforeMs)) return;
    this.#closedMs = Math.max(this.#closedMs, beforeMs);
    this.#archive.grow(this.#closedMs);
  }

  get lastSeconds(): Pick<Live, 'p95Ms' | 'lastSecond'> {
    return this.#seconds.figures;
  }

  totals(): PartitionTotals[] {
    return this.#partitions.map((partition) => totalsOf(partition, this.#archive.waiting(partition)));
  }

  closed(wanted: readonly SeriesName[]): Snapshot {
    return this.#archive.closed(this.#closedMs, this.#partitions, wanted);
  }

  snapshot(elapsedMs: number): Snapshot {
    this.close(Infinity);
    return this.#archive.snapshot(elapsedMs, this.#partitions, {
      examples: this.#examples.all(),
      violations: [...this.#violations],
      ...this.#slowTurns.all(),
    });
  }

  #read({ startMs, warmUp, policy, counters, series }: IntervalTally): ReadTally {
    const partition = this.#partitions[(warmUp ? 0 : this.#policies) + policy];
    if (partition === undefined) throw new Error(`the plan has no retry policy ${String(policy)}`);
    const read = seriesNames.flatMap((name) => {
      const stored = series[name];
      return stored === undefined ? [] : [{ name, stored, values: valuesOf(stored) }];
    });
    return { partition, startMs, counters, series: read };
  }

  #addTally(worker: string, { partition, startMs, counters, series }: ReadTally): void {
    const tally = partition.at(startMs);
    const { warmUp, policy } = partition;
    addCounters(tally.counters, counters);
    for (const { name, stored, values } of series) tally.series[name].absorbStored(stored, values);
    addCounters(this.#sumOf(worker, { warmUp, policy }), counters);
  }

  #sumOf(worker: string, { warmUp, policy }: Pick<PartitionTally, 'warmUp' | 'policy'>): Counters {
    const sums = this.#sums.get(worker) ?? [];
    this.#sums.set(worker, sums);
    const there = sums.find((each) => each.warmUp === warmUp && each.policy === policy);
    if (there !== undefined) return there.counters;
    const added = { warmUp, policy, counters: newCounters() };
    sums.push(added);
    return added.counters;
  }

  #addLevels(levels: IntervalLevels): void {
    // The length of a closed interval is already counted.
    const part = levels.startMs < this.#closedMs ? { ...levels, lengthUs: 0 } : levels;
    const at = this.#levels.findIndex(({ startMs, warmUp }) => startMs === part.startMs && warmUp === part.warmUp);
    const there = this.#levels[at];
    if (there === undefined) this.#levels.push(part);
    else this.#levels[at] = joinWorkers(there, part);
  }

  #takeViolations(): Violation[] {
    const fresh = this.#freshViolations;
    this.#freshViolations = [];
    return fresh;
  }
}

interface ReadTally extends Pick<IntervalTally, 'startMs' | 'counters'> {
  partition: Partition;
  series: readonly { name: SeriesName; stored: StoredSeries; values: SparseHistogram }[];
}

function valuesOf({ hdr, count, shifts }: StoredSeries): SparseHistogram {
  const values = readSparse(hdr);
  if (shifts !== undefined) withoutWaits(values, shifts);
  if (values.total !== count) throw new UnreadableHistogram('the number of its values differs from its count');
  return values;
}

export interface PartitionSum extends Pick<PartitionTally, 'warmUp' | 'policy'> {
  counters: Counters;
}
