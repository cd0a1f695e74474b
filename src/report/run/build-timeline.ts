import type { Result } from '../../result/result.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { roundedMs, rounded, type Mark, type Timeline } from '../page/page.ts';
import type { Plan } from '../../plan/plan.ts';
import { levelText } from '../plan/plan-text.ts';
import { formatNumber } from '../../base/format.ts';
import { isAttributed } from '../../result/sections/model.ts';
import { metricColumns } from './metric-columns.ts';
import { seriesColumns, shownSeries, type ShownSeries, type Columns, type TimelineRow } from './series-columns.ts';
import { attemptClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { nanosPerUnit } from '../../plan/prices.ts';
import { ratePerSecond, shareOf } from '../../base/field.ts';
import { sumOf } from '../../statistics/averages.ts';
import { shortestIntervalMs } from '../../record/interval-width.ts';

export type TimedRun = Pick<Result, 'intervals' | 'run' | 'scenario'> & Partial<Pick<Result, 'targetMetrics'>>;

/** Intervals that have values of some series. */
export type WithLatency = Pick<Interval, 'latency'>;

export interface RunOverTime {
  timeline: Timeline;
  series: readonly ShownSeries[];
}

/** Builds the timeline of a run, decoding every histogram once (about 0.1 ms each). Series with values only in `seen` are included. */
export function buildTimeline(result: TimedRun, label: string, seen: readonly WithLatency[] = []): RunOverTime {
  const rows = timelineRows(result.intervals);
  const intervals = rows.map(({ interval }) => interval);
  const series = shownSeries([...intervals, ...seen]);
  const { columns, heat } = seriesColumns(rows, series);
  const timeline = {
    label,
    startMs: rows.map(({ interval }) => roundedMs(interval.startMs)),
    lengthMs: rows.map(({ interval }) => roundedMs(interval.lengthMs)),
    columns: { ...countColumns(rows), ...columns, ...metricColumns(result.targetMetrics, intervals) },
    heat,
    marks: marksOf(result),
  };
  return { timeline, series };
}

/** Marks events on the time axis: warm-up, ramps, an early stop, the drain. */
function marksOf({ run, scenario: { plan } }: Pick<Result, 'run' | 'scenario'>): Mark[] {
  const { durationMs } = run;
  return [...warmUp(plan), ...ramps(plan), ...stop(run), ...drain(run, plan)]
    .filter(({ atMs }) => atMs <= durationMs)
    .map((mark) => ({
      ...mark,
      atMs: roundedMs(mark.atMs),
      untilMs: mark.untilMs === null ? null : roundedMs(Math.min(mark.untilMs, durationMs)),
    }));
}

const warmUp = ({ warmUpMs: untilMs }: Plan): Mark[] =>
  untilMs === 0 ? [] : [{ kind: 'warm_up', atMs: 0, untilMs, label: 'warm-up, excluded from published figures' }];

const ramps = ({ load }: Plan): Mark[] =>
  load.segments.flatMap(({ startMs, endMs, from, to }) => {
    const label = `ramp from ${formatNumber(from)} to ${levelText(to, load)}`;
    return from === to || endMs === null ? [] : [{ kind: 'ramp', atMs: startMs, untilMs: endMs, label }];
  });

function stop({ stop }: Result['run']): Mark[] {
  if (stop === null) return [];
  return [{ kind: stop.kind === 'gate' ? 'gate' : 'stop', atMs: stop.atMs, untilMs: null, label: stop.reason }];
}

/** Marks the drain: no session starts after the planned duration or an early stop. */
function drain({ stop, durationMs: untilMs }: Result['run'], plan: Plan): Mark[] {
  const atMs = stop === null ? plan.durationMs : stop.atMs;
  return atMs === null || atMs >= untilMs ? [] : [{ kind: 'drain', atMs, untilMs, label: 'drain: no new sessions' }];
}

/** Name and value of a column; a rare one is omitted when all its values are zero. */
type CountColumn = readonly [name: string, read: (row: TimelineRow) => number | null, isRare?: boolean];

/** Computes rates and levels of a run over time, by name; omits those without values. */
function countColumns(rows: readonly TimelineRow[]): Columns {
  return Object.fromEntries(
    allColumns.flatMap(([name, read, isRare = false]) => {
      const values = rows.map(read);
      const isShown = values.some((value) => value !== null && (value !== 0 || !isRare));
      return isShown ? [[name, values.map((value) => (value === null ? null : rounded(value)))]] : [];
    }),
  );
}

export const classColumn = {
  turns: (name: AttemptClass) => `turnsPerSecond.${name}`,
  attempts: (name: AttemptClass) => `attemptsPerSecond.${name}`,
  createAttempts: (name: AttemptClass) => `createAttemptsPerSecond.${name}`,
};
export type Classed = keyof typeof classColumn;

const perSecond = (name: string, count: (interval: Interval) => number, isRare = false): CountColumn => [
  name,
  ({ counted, countedMs }) => ratePerSecond(sumOf(counted.map(count)), countedMs),
  isRare,
];

const byClass = (of: Classed): CountColumn[] =>
  attemptClassNames
    .filter((name) => of !== 'turns' || name !== 'ok')
    .map((name) => perSecond(classColumn[of](name), (interval) => interval[of].byClass[name] ?? 0, true));

function failedShare({ counted }: TimelineRow): number | null {
  const failed = sumOf(counted.map(({ turns }) => turns.failed));
  return shareOf(failed, failed + sumOf(counted.map(({ turns }) => turns.ok)));
}

type Usage = NonNullable<Interval['usage']>;
const sumOfUsage = ({ counted }: TimelineRow, name: keyof Usage): number =>
  sumOf(counted.map(({ usage }) => usage?.[name] ?? 0));

/** Returns the known cost per ended turn; `null` without a known cost. */
function costPerTurn(row: TimelineRow): number | null {
  const nanos = sumOfUsage(row, 'costNanos');
  return nanos === 0
    ? null
    : shareOf(nanos / nanosPerUnit, sumOf(row.counted.map(({ turns }) => turns.ok + turns.failed)));
}

/** Parts of an attempt with model calls; their means add up to its duration. */
const modelParts = ['model.time', 'model.retryWait', 'model.agentTime'] as const;

function meanOf({ latency, model }: Interval, name: (typeof modelParts)[number]): number | null {
  if (!isAttributed(model?.attributed ?? 0, model?.calls ?? 0)) return null;
  const { sumMs = 0, count = 0 } = latency[name] ?? {};
  return shareOf(sumMs, count);
}

function callsPerTurn({ counted }: TimelineRow): number | null {
  const sum = (name: keyof NonNullable<Interval['model']>): number =>
    sumOf(counted.map(({ model }) => model?.[name] ?? 0));
  return isAttributed(sum('attributed'), sum('calls')) ? shareOf(sum('turnCalls'), sum('turns')) : null;
}

const allColumns: readonly CountColumn[] = [
  perSecond('turnsPerSecond.sent', ({ turns }) => turns.sent),
  perSecond('turnsPerSecond.ok', ({ turns }) => turns.ok),
  perSecond('turnsPerSecond.failed', ({ turns }) => turns.failed),
  perSecond('turnsPerSecond.good', ({ turns }) => turns.good),
  ['turns.failedShare', failedShare],
  ['turnsPerSecond.ofWarmUp', ({ warmUpTurns, interval }) => ratePerSecond(warmUpTurns, interval.lengthMs), true],
  perSecond('retriesPerSecond', ({ attempts }) => attempts.retries, true),
  perSecond('sessionsPerSecond.started', ({ sessions }) => sessions.started),
  perSecond('sessionsPerSecond.created', ({ sessions }) => sessions.created),
  perSecond('sessionsPerSecond.notCreated', ({ sessions }) => sessions.createFailed, true),
  perSecond('sessionsPerSecond.ended', ({ sessions }) => sessions.ended),
  perSecond('brokenRepliesPerSecond', ({ integrity }) => integrity.failed, true),
  ...(['turns', 'attempts', 'createAttempts'] as const).flatMap(byClass),
  ...modelParts.map((name): CountColumn => [`${name}.mean`, ({ interval }) => meanOf(interval, name)]),
  ['model.callsPerTurn', callsPerTurn],
  ['costPerTurn', costPerTurn],
  ['tokens.cachedShare', (row) => shareOf(sumOfUsage(row, 'cachedTokens'), sumOfUsage(row, 'cacheableTokens')), true],
  ['live.sessions', ({ interval }) => interval.concurrency?.sessions.mean ?? null],
  ['live.turns', ({ interval }) => interval.concurrency?.turns.mean ?? null],
  ...(['eventLoopDelayP99Ms', 'cpuShare', 'rssBytes', 'heapBytes'] as const).map((name): CountColumn => [
    `generator.${name}`,
    ({ interval }) => interval.generator?.[name] ?? null,
  ]),
];

/**
 * Returns the intervals of a run in order. Intervals of the warm-up are shown while it lasts; of warm-up events during
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
 * Returns the measured part of the interval in which the warm-up ends. Remaining warm-up events of that time are
 * counted in the preceding interval, so only both together form a rate.
 */
function sharing({ startMs, warmUp }: Interval, next: Interval | undefined, widthMs: number): Interval[] {
  return warmUp && next !== undefined && !next.warmUp && next.startMs < startMs + widthMs ? [next] : [];
}
