import type { Beat, Part } from '../../capacity/player.ts';
import { partOf, type Objective } from '../../capacity/objectives/objective.ts';
import { failedTurns, storeCounters, sumCounters, type Counters } from '../../record/counters.ts';
import type { IntervalLevels } from '../../record/gauges.ts';
import type { Live } from '../../record/live.ts';
import type { PartitionTotals } from '../../record/partition.ts';
import { ends, turnSeriesNames, type SeriesName } from '../../record/series.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { mergeSeries, type StoredSeries } from '../../record/stored-series.ts';
import { mergeTallies, type Tally } from '../../record/tally.ts';
import { writeSparse } from '../../record/histogram.ts';

const turnSeries = ends.flatMap((end) => turnSeriesNames(end));

/** Totals of a step up to an instant. */
interface SoFar {
  elapsedMs: number;
  turns: number;
  turnSumMs: number;
  sessionsStarted: number;
  sessionsEnded: number;
  /** Total live time of all sessions. */
  sessionTimeMs: number;
  turnsInFlight: number;
  parts: readonly Part[];
}

/** Observation windows of a run in this process: differences between consecutive totals. */
export class Beats {
  readonly #objectives: readonly Objective[];
  #before: SoFar;

  constructor(objectives: readonly Objective[]) {
    this.#objectives = objectives;
    const parts = objectives.map(() => ({ part: 0, whole: 0 }));
    const none = { turns: 0, turnSumMs: 0, sessionsStarted: 0, sessionsEnded: 0, sessionTimeMs: 0, turnsInFlight: 0 };
    this.#before = { elapsedMs: 0, ...none, parts };
  }

  /** Returns the window since the previous one. */
  next(live: Live, totals: readonly PartitionTotals[]): Beat {
    const before = this.#before;
    const now = soFar(live, totals, this.#objectives);
    this.#before = now;
    const lengthMs = Math.max(1e-6, now.elapsedMs - before.elapsedMs);
    const turns = now.turns - before.turns;
    return {
      startMs: before.elapsedMs,
      lengthMs,
      turns,
      turnMeanMs: turns === 0 ? null : (now.turnSumMs - before.turnSumMs) / turns,
      sessionsStarted: now.sessionsStarted - before.sessionsStarted,
      sessionsEnded: now.sessionsEnded - before.sessionsEnded,
      sessionsLive: (now.sessionTimeMs - before.sessionTimeMs) / lengthMs,
      // The window is short, so the mean of both ends suffices.
      turnsInFlight: (now.turnsInFlight + before.turnsInFlight) / 2,
      parts: now.parts.map((part, at) => less(part, before.parts[at])),
    };
  }
}

function soFar(live: Live, totals: readonly PartitionTotals[], objectives: readonly Objective[]): SoFar {
  const counters = sumCounters(totals.map((each) => each.counters));
  const tally = tallySoFar(totals, [...new Set(objectives.flatMap(({ series }) => series))]);
  const sumUs = totals.reduce(
    (sum, { series }) => sum + turnSeries.reduce((of, name) => of + (series[name]?.sumUs ?? 0), 0),
    0,
  );
  return {
    elapsedMs: live.elapsedMs,
    turns: finished(counters),
    turnSumMs: sumUs / 1000,
    sessionsStarted: counters.sessions.started,
    sessionsEnded: counters.sessions.started - live.sessionsLive,
    sessionTimeMs: live.sessionTimeMs,
    turnsInFlight: live.turnsInFlight,
    parts: objectives.map((objective) => partOf(objective, tally)),
  };
}

/** Returns everything recorded so far, with the wanted series only: encoding one takes a fraction of a millisecond. */
function tallySoFar(totals: readonly PartitionTotals[], wanted: readonly SeriesName[]): Tally {
  const series: Tally['series'] = {};
  for (const name of wanted) {
    const merged = mergeSeries(totals.map((each) => storedOf(each, name)));
    if (merged !== undefined) series[name] = merged;
  }
  return { counters: storeCounters(sumCounters(totals.map(({ counters }) => counters))), series };
}

function storedOf({ series }: PartitionTotals, name: SeriesName): StoredSeries | undefined {
  const total = series[name];
  if (total === undefined) return undefined;
  const { sumUs, minUs, maxUs, histogram } = total;
  return { count: histogram.total, sumUs, minUs, maxUs, clamped: 0, hdr: writeSparse(histogram) };
}

/** Returns the windows of an interval of a distributed run, which arrives when all processes have published it. */
export function beatsOf({ intervals, levels, intervalMs }: Snapshot, objectives: readonly Objective[]): Beat[] {
  const starts = [...new Set([...levels, ...intervals].map(({ startMs }) => startMs))].toSorted((a, b) => a - b);
  return starts.map((startMs) => {
    const tally = mergeTallies(intervals.filter((each) => each.startMs === startMs));
    const counters = sumCounters([tally.counters]);
    const turns = finished(counters);
    const sumUs = turnSeries.reduce((sum, name) => sum + (tally.series[name]?.sumUs ?? 0), 0);
    const level = levels.filter((each) => each.startMs === startMs);
    const { sessions } = counters;
    return {
      startMs,
      lengthMs: lengthOf(level) || intervalMs,
      turns,
      turnMeanMs: turns === 0 ? null : sumUs / 1000 / turns,
      sessionsStarted: sessions.started,
      sessionsEnded: sessions.completed + sessions.failed + sessions.cut + sessions.create_failed + sessions.create_cut,
      sessionsLive: meanOf(level, ({ sessionsUs }) => sessionsUs),
      turnsInFlight: meanOf(level, ({ turnsUs }) => turnsUs),
      parts: objectives.map((objective) => partOf(objective, tally)),
    };
  });
}

const finished = ({ turns }: Counters): number => turns.ok + failedTurns(turns);

const less = ({ part, whole }: Part, before: Part = { part: 0, whole: 0 }): Part => ({
  part: part - before.part,
  whole: whole - before.whole,
});

const lengthOf = (levels: readonly IntervalLevels[]): number =>
  levels.reduce((sum, { lengthUs }) => sum + lengthUs, 0) / 1000;

function meanOf(levels: readonly IntervalLevels[], areaOf: (levels: IntervalLevels) => number): number {
  const area = levels.reduce((sum, each) => sum + areaOf(each), 0) / 1000;
  return area / Math.max(1e-6, lengthOf(levels));
}
