import type { Result } from '../../result/result.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { roundedMs } from '../page/drawn-numbers.ts';
import type { Mark, Timeline } from '../page/page.ts';
import { levelText } from '../plan/plan-words.ts';
import { formatNumber } from '../words/format.ts';
import { countColumns } from './count-columns.ts';
import { timelineRows } from './timeline-rows.ts';
import { seriesColumns, shownSeries, type ShownSeries } from './series-columns.ts';

/** What of a result its timeline is made from. */
export type TimedRun = Pick<Result, 'intervals' | 'run' | 'scenario'>;

/** What has values of a series. */
export type Seen = Pick<Interval, 'latency'>;

/** A run over time, and the series that have values in it. */
export interface RunOverTime {
  timeline: Timeline;
  series: readonly ShownSeries[];
}

/** Every histogram is read once: about 0.1 ms each. `seen`: where series are shown that these intervals have no values of. */
export function buildTimeline(result: TimedRun, label: string, seen: readonly Seen[] = []): RunOverTime {
  const rows = timelineRows(result.intervals);
  const series = shownSeries([...rows.map(({ interval }) => interval), ...seen]);
  const { columns, heat } = seriesColumns(rows, series);
  const timeline = {
    label,
    startMs: rows.map(({ interval }) => roundedMs(interval.startMs)),
    lengthMs: rows.map(({ interval }) => roundedMs(interval.lengthMs)),
    columns: { ...countColumns(rows), ...columns },
    heat,
    marks: marksOf(result),
  };
  return { timeline, series };
}

/** What happened to a run, on its time axis: warm-up, ramps, what stopped it, and its drain. */
function marksOf(result: Pick<Result, 'run' | 'scenario'>): Mark[] {
  const { durationMs } = result.run;
  return [...warmUp(result), ...ramps(result), ...stop(result), ...drain(result)]
    .filter(({ atMs }) => atMs <= durationMs)
    .map((mark) => ({
      ...mark,
      atMs: roundedMs(mark.atMs),
      untilMs: mark.untilMs === null ? null : roundedMs(Math.min(mark.untilMs, durationMs)),
    }));
}

function warmUp({ scenario: { plan } }: Pick<Result, 'run' | 'scenario'>): Mark[] {
  if (plan.warmUpMs === 0) return [];
  return [{ kind: 'warm_up', atMs: 0, untilMs: plan.warmUpMs, label: 'warm-up: in no published figure' }];
}

function ramps({ scenario: { plan } }: Pick<Result, 'run' | 'scenario'>): Mark[] {
  return plan.load.segments.flatMap(({ startMs, endMs, from, to }) => {
    if (from === to || endMs === null) return [];
    const label = `ramp from ${formatNumber(from)} to ${levelText(to, plan.load)}`;
    return [{ kind: 'ramp' as const, atMs: startMs, untilMs: endMs, label }];
  });
}

function stop({ run }: Pick<Result, 'run' | 'scenario'>): Mark[] {
  if (run.stop === null) return [];
  const { kind, reason, atMs } = run.stop;
  return [{ kind: kind === 'gate' ? 'gate' : 'stop', atMs, untilMs: null, label: reason }];
}

/** From when no session starts any more, where that is known: the end of the planned duration, or what stopped the run. */
function drain({ run, scenario: { plan } }: Pick<Result, 'run' | 'scenario'>): Mark[] {
  const fromMs = run.stop === null ? plan.durationMs : run.stop.atMs;
  if (fromMs === null || fromMs >= run.durationMs) return [];
  return [{ kind: 'drain', atMs: fromMs, untilMs: run.durationMs, label: 'drain: no session starts any more' }];
}
