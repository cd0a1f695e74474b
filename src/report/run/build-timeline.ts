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

/** Parts of a result that its timeline is built from. */
export type TimedRun = Pick<Result, 'intervals' | 'run' | 'scenario'>;

/** Intervals that have values of some series. */
export type Seen = Pick<Interval, 'latency'>;

/** A run over time, and its series with values. */
export interface RunOverTime {
  timeline: Timeline;
  series: readonly ShownSeries[];
}

/** Builds the timeline of a run, decoding every histogram once (about 0.1 ms each). Series with values only in `seen` are included. */
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

/** Marks events on the time axis: warm-up, ramps, an early stop, the drain. */
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
  return [{ kind: 'warm_up', atMs: 0, untilMs: plan.warmUpMs, label: 'warm-up, excluded from published figures' }];
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

/** Marks the drain: no session starts after the planned duration or an early stop. */
function drain({ run, scenario: { plan } }: Pick<Result, 'run' | 'scenario'>): Mark[] {
  const fromMs = run.stop === null ? plan.durationMs : run.stop.atMs;
  if (fromMs === null || fromMs >= run.durationMs) return [];
  return [{ kind: 'drain', atMs: fromMs, untilMs: run.durationMs, label: 'drain: no new sessions' }];
}

interface CountColumn {
  name: string;
  read: (row: TimelineRow) => number | null;
  /** True if the column is omitted when all its values are zero. */
  isRare?: boolean;
}

/** Computes rates and levels of a run over time, by name; omits those without values. */
function countColumns(rows: readonly TimelineRow[]): Columns {
  return Object.fromEntries(
    allColumns.flatMap(({ name, read, isRare = false }) => {
      const values = rows.map(read);
      const isShown = values.some((value) => value !== null && (value !== 0 || !isRare));
      return isShown ? [[name, values.map((value) => (value === null ? null : rounded(value)))]] : [];
    }),
  );
}

/** Names of columns with the rate of an outcome class. */
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
 * Returns the intervals of a run in order. Those of the warm-up are shown while it lasts; of its remainder, parallel to
 * measured intervals, only the number of turns is kept.
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
 * Returns the measured rest of the interval in which the warm-up ends. The rest of the warm-up in that time is counted
 * before it, so only both together form a rate.
 */
function sharing({ startMs, warmUp }: Interval, next: Interval | undefined, widthMs: number): Interval[] {
  return warmUp && next !== undefined && !next.warmUp && next.startMs < startMs + widthMs ? [next] : [];
}
