import type { Result } from '../../result/result.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { roundedMs, rounded, type Mark, type Timeline } from '../page/page.ts';
import { levelText } from '../plan/plan-words.ts';
import { formatNumber } from '../../base/format.ts';
import { seriesColumns, shownSeries, type ShownSeries, type Columns, type TimelineRow } from './series-columns.ts';
import { attemptClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { ratePerSecond, shareOf } from '../../base/field.ts';
import { sumOf } from '../../statistics/averages.ts';
import { shortestIntervalMs } from '../../record/interval-width.ts';

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

interface CountColumn {
  name: string;
  read: (row: TimelineRow) => number | null;
  /** Left out where it is zero throughout. */
  isRare?: boolean;
}

/** Rates and levels of a run over time, by name; those without a value are left out. */
function countColumns(rows: readonly TimelineRow[]): Columns {
  return Object.fromEntries(
    allColumns.flatMap(({ name, read, isRare = false }) => {
      const values = rows.map(read);
      const isShown = values.some((value) => value !== null && (value !== 0 || !isRare));
      return isShown ? [[name, values.map((value) => (value === null ? null : rounded(value)))]] : [];
    }),
  );
}

/** Which class of what, per second. */
export const classColumn = {
  turns: (name: AttemptClass) => `turnsPerSecond.${name}`,
  attempts: (name: AttemptClass) => `attemptsPerSecond.${name}`,
  createAttempts: (name: AttemptClass) => `createAttemptsPerSecond.${name}`,
};
export type Classed = keyof typeof classColumn;

const perSecond = (name: string, count: (interval: Interval) => number): CountColumn => ({
  name,
  read: ({ counted, countedMs }) => ratePerSecond(sumOf(counted.map(count)), countedMs),
});
const rare = (column: CountColumn): CountColumn => ({ ...column, isRare: true });

const rateColumns: readonly CountColumn[] = [
  perSecond('turnsPerSecond.sent', ({ turns }) => turns.sent),
  perSecond('turnsPerSecond.ok', ({ turns }) => turns.ok),
  perSecond('turnsPerSecond.failed', ({ turns }) => turns.failed),
  perSecond('turnsPerSecond.good', ({ turns }) => turns.good),
  {
    name: 'turns.failedShare',
    read: ({ counted }) => {
      const [failed, ok] = [
        sumOf(counted.map(({ turns }) => turns.failed)),
        sumOf(counted.map(({ turns }) => turns.ok)),
      ];
      return shareOf(failed, failed + ok);
    },
  },
  {
    name: 'turnsPerSecond.ofWarmUp',
    read: ({ warmUpTurns, interval }) => ratePerSecond(warmUpTurns, interval.lengthMs),
    isRare: true,
  },
  rare(perSecond('retriesPerSecond', ({ attempts }) => attempts.retries)),
  perSecond('sessionsPerSecond.started', ({ sessions }) => sessions.started),
  perSecond('sessionsPerSecond.created', ({ sessions }) => sessions.created),
  rare(perSecond('sessionsPerSecond.notCreated', ({ sessions }) => sessions.createFailed)),
  perSecond('sessionsPerSecond.ended', ({ sessions }) => sessions.ended),
  rare(perSecond('brokenRepliesPerSecond', ({ integrity }) => integrity.failed)),
];

const byClass = (of: Classed): CountColumn[] =>
  attemptClassNames
    .filter((name) => of !== 'turns' || name !== 'ok')
    .map((name) => rare(perSecond(classColumn[of](name), (interval) => interval[of].byClass[name] ?? 0)));

const levelColumns: readonly CountColumn[] = [
  { name: 'live.sessions', read: ({ interval }) => interval.concurrency?.sessions.mean ?? null },
  { name: 'live.turns', read: ({ interval }) => interval.concurrency?.turns.mean ?? null },
  { name: 'generator.eventLoopDelayP99Ms', read: ({ interval }) => interval.generator?.eventLoopDelayP99Ms ?? null },
  { name: 'generator.cpuShare', read: ({ interval }) => interval.generator?.cpuShare ?? null },
  { name: 'generator.rssBytes', read: ({ interval }) => interval.generator?.rssBytes ?? null },
  { name: 'generator.heapBytes', read: ({ interval }) => interval.generator?.heapBytes ?? null },
];

const allColumns: readonly CountColumn[] = [
  ...rateColumns,
  ...byClass('turns'),
  ...byClass('attempts'),
  ...byClass('createAttempts'),
  ...levelColumns,
];

/**
 * The intervals of a run one after another. Those of the warm-up are shown as long as it goes on; of what is left of it
 * afterwards, beside the measured intervals, only the number of turns is kept.
 */
function timelineRows(intervals: readonly Interval[]): TimelineRow[] {
  const measuredFrom = intervals.find(({ warmUp }) => !warmUp)?.startMs ?? Infinity;
  const isLeftOver = ({ warmUp, startMs }: Interval): boolean => warmUp && startMs >= measuredFrom;
  const leftOver = new Map(
    intervals.filter(isLeftOver).map(({ startMs, turns }) => [startMs, turns.ok + turns.failed] as const),
  );
  const widthMs = intervals.reduce((max, { lengthMs }) => Math.max(max, lengthMs), shortestIntervalMs);
  const shown = intervals.filter((interval) => !isLeftOver(interval));
  return shown.map((interval, index) => {
    const counted = [interval, ...sharing(interval, shown[index + 1], widthMs)];
    const countedMs = counted.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
    const warmUpTurns = interval.warmUp ? 0 : (leftOver.get(interval.startMs) ?? 0);
    return { interval, counted, countedMs, warmUpTurns };
  });
}

/**
 * The measured rest of the interval in which the warm-up ends. What the warm-up left over in that time is counted before
 * it: only both together are a rate.
 */
function sharing({ startMs, warmUp }: Interval, next: Interval | undefined, widthMs: number): Interval[] {
  return warmUp && next !== undefined && !next.warmUp && next.startMs < startMs + widthMs ? [next] : [];
}
