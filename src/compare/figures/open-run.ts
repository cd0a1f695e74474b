import type { Plan } from '../../plan/plan.ts';
import { shortestIntervalMs, startOf, widthFor } from '../../record/interval-width.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import type { Result } from '../../result/result.ts';
import { openSeries, type SeriesWindow } from '../../result/percentiles/series-window.ts';
import { intervalPart, wholePart, type RunPart } from './run-part.ts';
import { sumOf } from '../../statistics/averages.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { UnreadableHistogram } from '../../record/sparse-histogram.ts';
import type { MissingFigure, Observed, RunReading, RunOfSide, SideName } from '../document/side.ts';

/**
 * Returns the intervals by which releases are compared, equal for every run of one plan, without the warm-up. A run limited
 * by duration ends with its last whole interval before the drain, in which no session starts, and whose length and load
 * are chance. A run limited by sessions alone has no such end known beforehand; it is used entirely, including its slow
 * end, because omitting late turns would omit the slowest.
 */
export function measuredWindow({ intervals, scenario }: Pick<Result, 'intervals' | 'scenario'>): Interval[] {
  const end = windowEnd(scenario.plan);
  return intervals.filter(({ warmUp, startMs, lengthMs }) => !warmUp && startMs < end && lengthMs > 0);
}

/**
 * Returns the end of a plan's window, in milliseconds since its start; infinite for a number of sessions alone. Uses the
 * interval width after the maximum drain: a shorter drain leaves intervals narrower, with the same edges.
 */
export function windowEnd({ durationMs, gracePeriodMs }: Pick<Plan, 'durationMs' | 'gracePeriodMs'>): number {
  if (durationMs === null) return Infinity;
  return startOf(durationMs, widthFor(durationMs + gracePeriodMs + shortestIntervalMs));
}

/** A run, or its measured window, as segments; each series is decoded once, when first needed. */
export interface OpenRun {
  parts: readonly RunPart[];
  lengthMs: number;
  counts: (event: string) => number[];
  series: (name: string) => SeriesWindow;
}

export interface OpenResult {
  /** Segments by interval, without the warm-up and the drain. */
  window: OpenRun;
  /** A single segment of the published totals. Only these contain turns by position, and unanswered ones. */
  whole: OpenRun;
}

export function openResult(result: Result): OpenResult {
  const window = measuredWindow(result).map((interval) => intervalPart(interval, result.cost?.source));
  return { window: openRun(window), whole: openRun([wholePart(result)]) };
}

export function openRun(parts: readonly RunPart[]): OpenRun {
  const read = new Map<string, SeriesWindow>();
  const series = (name: string): SeriesWindow => {
    const window = read.get(name) ?? openSeries(parts, name);
    read.set(name, window);
    return window;
  };
  const counts = (event: string): number[] =>
    parts.map((part) => {
      const count = part.counts.get(event);
      if (count === undefined) throw new Error(`no event is called ${event}`);
      return count;
    });
  return { parts, lengthMs: sumOf(parts.map(({ lengthMs }) => lengthMs)), counts, series };
}

export interface OpenedRun extends RunOfSide {
  open: OpenResult;
}
export type OpenedSides = Readonly<Record<SideName, readonly OpenedRun[]>>;

export function openRunOfSide(run: RunOfSide): OpenedRun {
  return { ...run, open: openResult(run.result) };
}

interface SideFigures {
  observed: Observed[];
  missing: MissingFigure[];
}

/** Reads one figure of every run. An unreadable histogram is reported with its file. */
export function observe(runs: readonly OpenedRun[], read: (run: OpenedRun) => RunReading): SideFigures {
  const readings = runs.map((run) => ({ run: run.result.run, reading: readNamed(run, read) }));
  return {
    observed: readings.flatMap(({ run: { sitting, pair }, reading }) =>
      'figure' in reading ? [{ figure: reading.figure, sitting, pair }] : [],
    ),
    missing: readings.flatMap(({ reading }) => ('missing' in reading ? [reading] : [])),
  };
}

/** Reads a figure of a run. An unreadable histogram is reported with its file. */
export function readNamed(run: OpenedRun, read: (run: OpenedRun) => RunReading): RunReading {
  try {
    return read(run);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableHistogram)) throw thrown;
    throw new ChatLoadError('usage', {
      message: `${run.file ?? `The run ${run.result.run.id}`} contains a histogram that cannot be read: ${thrown.message}.`,
      hint: 'The file was damaged or changed after it was written: exclude it, or measure again.',
      cause: thrown,
    });
  }
}
