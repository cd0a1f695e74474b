import { shortestIntervalMs, startOf, widthFor } from '../../record/interval-width.ts';
import { type Snapshot, mergeSnapshots, PieceMerger } from '../../record/snapshot.ts';
import { joinRows, type TimelineRows } from '../../report/page/live.ts';
import type { Timeline } from '../../report/page/page.ts';
import { buildTimeline, type WithLatency, type TimedRun } from '../../report/run/build-timeline.ts';
import type { ShownSeries } from '../../report/run/series-columns.ts';
import { GeneratorSamples, type GeneratorSample } from '../../result/sections/generator-health.ts';
import { buildIntervals, type Interval } from '../../result/sections/intervals.ts';

type Facts = Omit<TimedRun, 'intervals'>;

/**
 * Time series of an active run. Each snapshot is read once on arrival, so the cost per second does not grow with the
 * length of the run; everything is read again when intervals become wider and when a series first has values.
 */
export class LiveTimeline {
  timeline: Timeline | undefined;
  series: readonly ShownSeries[] = [];
  readonly #label: string;
  readonly #merger = new PieceMerger();
  readonly #samples = new GeneratorSamples();
  /** Snapshots that are in no row yet; `undefined`: too many, so that all rows are read again. */
  #fresh: Snapshot[] | undefined;
  /** Earliest start of a sample that is in no row yet. */
  #freshSampleMs = Infinity;
  /** The open interval, which later snapshots may extend, and the number of rows before it. */
  #open: Snapshot | undefined;
  #closedRows = 0;
  #width = shortestIntervalMs;
  #seen: WithLatency = { latency: {} };

  constructor(label: string) {
    this.#label = label;
  }

  /** Adds a snapshot and samples; the next `advance` adds them to the rows. */
  add(piece: Snapshot, samples: readonly GeneratorSample[]): void {
    this.#merger.add(piece);
    for (const sample of samples) {
      this.#samples.add(sample);
      this.#freshSampleMs = Math.min(this.#freshSampleMs, sample.startMs);
    }
    this.#fresh?.push(piece);
    if ((this.#fresh?.length ?? 0) > maxFresh) this.#fresh = undefined;
  }

  /** Updates the rows and returns the changed ones; `whole`: all of them. */
  advance(facts: Facts): TimelineRows | 'whole' | null {
    const fresh = this.#fresh;
    const width = widthFor(Math.max(0, ...(fresh ?? []).map(({ elapsedMs }) => elapsedMs)));
    if (fresh === undefined || width > this.#width || this.timeline === undefined) return this.#readAll(facts);
    const [first] = fresh;
    if (first === undefined) return null;
    if (startOfPiece(first) < (this.#open === undefined ? 0 : startOfPiece(this.#open))) return this.#readAll(facts);
    this.#closeOpen(startOf(startOfPiece(first), this.#width));
    const changed = this.#append(this.#mergeByInterval(fresh), facts);
    this.#fresh = [];
    this.#freshSampleMs = Infinity;
    return changed;
  }

  /** Closes the open interval if no later snapshot or sample belongs to it. */
  #closeOpen(freshMs: number): void {
    if (this.#open === undefined || freshMs === startOf(startOfPiece(this.#open), this.#width)) return;
    if (this.#freshSampleMs < freshMs) return;
    this.#open = undefined;
    this.#closedRows = this.timeline?.startMs.length ?? 0;
  }

  #readAll(facts: Facts): 'whole' {
    const all = this.#merger.intervals();
    this.#fresh = [];
    this.#freshSampleMs = Infinity;
    this.#width = all?.intervalMs ?? shortestIntervalMs;
    this.#open = undefined;
    this.#closedRows = 0;
    this.timeline = undefined;
    if (all === undefined) this.timeline = emptyTimeline(this.#label);
    else this.#append(splitLast(all), facts);
    return 'whole';
  }

  #mergeByInterval(fresh: readonly Snapshot[]): Snapshot[] {
    const parts = this.#open === undefined ? fresh : [this.#open, ...fresh];
    const spans = new Map<number, Snapshot[]>();
    for (const part of parts) {
      const startMs = startOf(startOfPiece(part), this.#width);
      spans.set(startMs, [...(spans.get(startMs) ?? []), part]);
    }
    return [...spans.values()].flatMap(([first, ...rest]) =>
      first === undefined ? [] : mergeSnapshots(first, ...rest),
    );
  }

  /** Adds the rows of consecutive snapshots; the last one stays open. */
  #append(snapshots: readonly Snapshot[], facts: Facts): TimelineRows | 'whole' {
    const spans = snapshots.map((snapshot) => this.#intervalsOf(snapshot));
    // Existing rows lack the columns of a new series.
    if (this.#hasNewSeries(spans.flat()) && this.timeline !== undefined) return this.#readAll(facts);
    const from = this.#closedRows;
    const changed = { from, rows: emptyTimeline(this.#label) };
    for (const intervals of spans) {
      const there = changed.rows.startMs.length;
      const { timeline: rows, series } = buildTimeline({ ...facts, intervals }, this.#label, [this.#seen]);
      changed.rows = joinRows(changed.rows, { from: there, rows });
      this.#closedRows = from + there;
      this.series = series;
    }
    this.#open = snapshots.at(-1);
    this.timeline = joinRows(this.timeline, changed);
    return changed;
  }

  /** Records series with values; reports whether there are new ones. */
  #hasNewSeries(intervals: readonly Interval[]): boolean {
    const before = Object.keys(this.#seen.latency).length;
    for (const { latency } of intervals) this.#seen = { latency: { ...this.#seen.latency, ...latency } };
    return Object.keys(this.#seen.latency).length > before;
  }

  #intervalsOf(snapshot: Snapshot): Interval[] {
    const fromMs = startOf(startOfPiece(snapshot), this.#width);
    return buildIntervals(
      snapshot,
      this.#samples.all().filter(({ startMs }) => startMs >= fromMs),
    );
  }
}

/** More snapshots wait only without viewers. */
const maxFresh = 60;

const startOfPiece = ({ levels, intervals, elapsedMs, intervalMs }: Snapshot): number =>
  levels[0]?.startMs ?? intervals[0]?.startMs ?? Math.max(0, elapsedMs - intervalMs);

function splitLast(all: Snapshot): Snapshot[] {
  const lastMs = Math.max(...[...all.levels, ...all.intervals].map(({ startMs }) => startMs));
  const partOf = (isWanted: (entry: { startMs: number }) => boolean): Snapshot => ({
    ...all,
    levels: all.levels.filter(isWanted),
    intervals: all.intervals.filter(isWanted),
  });
  return [partOf(({ startMs }) => startMs < lastMs), partOf(({ startMs }) => startMs === lastMs)];
}

const emptyTimeline = (label: string): Timeline => ({
  label,
  startMs: [],
  lengthMs: [],
  columns: {},
  heat: {},
  marks: [],
});
