import { randomUUID } from 'node:crypto';
import { newSalt } from '../../../edge/new-run.ts';
import { ms } from '../../../base/time.ts';
import type { Beat, StepOrder, StepWatch, Part } from '../judge/player.ts';
import { type Objective, partOf } from '../judge/objective.ts';
import { systemClock } from '../../../edge/clock.ts';
import { every } from '../../../schedule/stop/watch-run.ts';
import { onAbort } from '../../../schedule/stop/stop-controller.ts';
import { playLoad, type LoadPorts, type PlayedLoad } from '../../../app/run/play-load.ts';
import type { RunPorts, Stops } from '../../../app/run/ports.ts';
import type { OpenTarget } from '../../../app/run/with-target.ts';
import { failedTurns, storeCounters, sumCounters, type Counters } from '../../../record/counters.ts';
import type { IntervalLevels } from '../../../record/gauges.ts';
import type { Live } from '../../../record/live.ts';
import type { PartitionTotals } from '../../../record/partition.ts';
import { ends, turnSeriesNames, type SeriesName } from '../../../record/series.ts';
import type { Snapshot } from '../../../record/snapshot.ts';
import { mergeSeries, type StoredSeries } from '../../../record/stored-series.ts';
import { mergeTallies, type Tally } from '../../../record/tally.ts';
import { writeSparse } from '../../../record/histogram.ts';

export interface StepPorts extends Pick<LoadPorts, 'strayFailed' | 'note'>, Pick<RunPorts, 'fleet'> {
  stops: Pick<Stops, 'drain' | 'cut'>;
}

interface SteppedPlay extends StepPorts {
  order: StepOrder;
  watch: StepWatch;
  objectives: readonly Objective[];
  /** Called with every window after it was evaluated. */
  observe: (beat: Beat) => void;
}

export interface SteppedLoad extends PlayedLoad {
  /** End of the evaluated part, in milliseconds since the start. */
  judgedMs: number;
}

/**
 * Runs the scenario at the level of a step, on new connections. Sending stops as soon as the step is decided; turns in
 * flight may end for a little longer than turns took and are then cut, and are not evaluated. A step in this process is
 * observed four times per second; separate processes publish once per second.
 */
export async function playStep({ resolved, baseUrl, model }: OpenTarget, play: SteppedPlay): Promise<SteppedLoad> {
  const { order, watch, objectives, stops, fleet, note, strayFailed } = play;
  const [halt, cut] = [new AbortController(), new AbortController()];
  const endings: (() => void)[] = [];
  const after = (delayMs: number, act: () => void): void => {
    const timer = setTimeout(act, delayMs);
    endings.push(() => clearTimeout(timer));
  };
  const follower = followStep(order, watch, {
    observe: play.observe,
    end: () => {
      halt.abort();
      after(Math.min(resolved.plan.gracePeriodMs, follower.patienceMs()), () => cut.abort());
    },
  });
  let startedAt = systemClock.now();
  endings.push(onAbort(stops.drain, () => follower.stop(systemClock.now() - startedAt)));
  const nextBeat = beatsHere(objectives);
  try {
    const played = await playLoad(
      { resolved, baseUrl, model, fleet, run: randomUUID(), salt: newSalt() },
      {
        drain: new AbortController().signal,
        halt: halt.signal,
        cut: AbortSignal.any([stops.cut, cut.signal]),
        strayFailed,
        note,
        warn: ({ message }) => fleet && note(`warning: ${message}`),
        begin: () => {
          startedAt = systemClock.now();
          // Late data must not extend the step beyond its maximum duration.
          if (fleet !== undefined) after(order.maxMs, () => follower.stop(order.maxMs));
          return Promise.resolve({
            add: (piece) => {
              if (fleet !== undefined) beatsOf(piece, objectives).forEach((beat) => follower.take(beat));
            },
            lost: () => undefined,
            failed: new Promise(() => undefined),
          });
        },
        watch: (run) => {
          if (fleet !== undefined) return;
          const observe = (): void => {
            if (follower.stoppedMs() === undefined) follower.take(nextBeat(run.live(), run.totals()));
          };
          endings.push(every(ms(250), { clock: systemClock, start: startedAt }, observe));
        },
      },
    );
    return { ...played, judgedMs: follower.stoppedMs() ?? played.outcome.elapsedMs };
  } finally {
    endings.forEach((end) => end());
  }
}

/**
 * Passes windows to the watch until the step is decided or reaches its maximum duration. `end` is called once, `observe`
 * with every window.
 */
function followStep(
  { maxMs }: StepOrder,
  watch: StepWatch,
  { end, observe }: { end: () => void; observe: (beat: Beat) => void },
) {
  let stoppedMs: number | undefined;
  let turnMeanMs = 0;
  const stop = (atMs: number): void => {
    if (stoppedMs !== undefined) return;
    stoppedMs = atMs;
    end();
  };
  return {
    take: (beat: Beat): void => {
      if (stoppedMs !== undefined) return;
      turnMeanMs = beat.turnMeanMs ?? turnMeanMs;
      const untilMs = beat.startMs + beat.lengthMs;
      const next = watch.beat(beat);
      observe(beat);
      if (next === 'stop' || untilMs >= maxMs) stop(untilMs);
    },
    stop,
    /** Time of the end, in milliseconds since the start of the step. */
    stoppedMs: () => stoppedMs,
    /** Time for turns in flight to end: twice the mean turn, so that the next step starts with an idle service. */
    patienceMs: () => 1000 + 2 * turnMeanMs,
  };
}

const turnSeries = ends.flatMap((end) => turnSeriesNames(end));

type SoFar = ReturnType<typeof soFar>;

/**
 * Returns a function that returns the observation window since its last call: the difference between consecutive totals of
 * a run in this process.
 */
function beatsHere(objectives: readonly Objective[]): (live: Live, totals: readonly PartitionTotals[]) => Beat {
  let before: SoFar = {
    elapsedMs: 0,
    turns: 0,
    turnSumMs: 0,
    sessionsStarted: 0,
    sessionsEnded: 0,
    sessionTimeMs: 0,
    turnsInFlight: 0,
    parts: [],
  };
  return (live, totals) => {
    const [last, now] = [before, soFar(live, totals, objectives)];
    before = now;
    const lengthMs = Math.max(1e-6, now.elapsedMs - last.elapsedMs);
    const turns = now.turns - last.turns;
    return {
      startMs: last.elapsedMs,
      lengthMs,
      turns,
      turnMeanMs: turns === 0 ? null : (now.turnSumMs - last.turnSumMs) / turns,
      sessionsStarted: now.sessionsStarted - last.sessionsStarted,
      sessionsEnded: now.sessionsEnded - last.sessionsEnded,
      sessionsLive: (now.sessionTimeMs - last.sessionTimeMs) / lengthMs,
      // The window is short, so the mean of both ends suffices.
      turnsInFlight: (now.turnsInFlight + last.turnsInFlight) / 2,
      parts: now.parts.map((part, at) => less(part, last.parts[at])),
    };
  };
}

function soFar(live: Live, totals: readonly PartitionTotals[], objectives: readonly Objective[]) {
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
function beatsOf({ intervals, levels, intervalMs }: Snapshot, objectives: readonly Objective[]): Beat[] {
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
