import { addCounters, newCounters, type Counters } from './counters.ts';
import type { HistogramPool } from './histogram-pool.ts';
import { LiveSeries } from './live-series.ts';
import { positions } from './positions.ts';
import { seriesNames, type SeriesName } from './series.ts';

/** What is being counted for one phase (warm-up or measured), one policy and one interval, or for all intervals. */
export class LiveTally {
  /** Milliseconds since the run's start. */
  readonly from: number;
  readonly until: number;
  readonly counters: Counters = newCounters();
  readonly series: Readonly<Record<SeriesName, LiveSeries>>;
  /** The series of ok and failed turns by position, so that the hot path builds no names. */
  readonly okTurns: readonly LiveSeries[];
  readonly failedTurns: readonly LiveSeries[];

  constructor(pool: HistogramPool, span: { from: number; until: number } = { from: 0, until: Infinity }) {
    this.from = span.from;
    this.until = span.until;
    this.series = seriesOf(pool);
    this.okTurns = positions.map((position) => this.series[`turn.${position}.ok`]);
    this.failedTurns = positions.map((position) => this.series[`turn.${position}.failed`]);
  }

  /** Adds the counters of another tally; its series are absorbed one by one, since each takes a while. */
  absorbCounters(other: LiveTally): void {
    addCounters(this.counters, other.counters);
  }

  /** Gives all histograms back. */
  release(): void {
    for (const name of seriesNames) this.series[name].release();
  }
}

const seriesOf = (pool: HistogramPool): Readonly<Record<SeriesName, LiveSeries>> =>
  Object.fromEntries(seriesNames.map((name) => [name, new LiveSeries(pool)])) as Record<SeriesName, LiveSeries>;
