import type { Result } from '../../result/result.ts';
import type { Interval } from '../../result/sections/intervals.ts';

type Cell = number | boolean | null | undefined;

/** A column and its value in an interval; empty where there is none. Durations in milliseconds. */
const columns: readonly (readonly [name: string, read: (interval: Interval) => Cell])[] = [
  ['startMs', ({ startMs }) => startMs],
  ['lengthMs', ({ lengthMs }) => lengthMs],
  ['warmUp', ({ warmUp }) => warmUp],
  ['turnsSent', ({ turns }) => turns.sent],
  ['turnsOk', ({ turns }) => turns.ok],
  ['turnsFailed', ({ turns }) => turns.failed],
  ['turnsGood', ({ turns }) => turns.good],
  ['attempts', ({ attempts }) => attempts.total],
  ['retries', ({ attempts }) => attempts.retries],
  ['sessionsStarted', ({ sessions }) => sessions.started],
  ['sessionsCreated', ({ sessions }) => sessions.created],
  ['sessionsEnded', ({ sessions }) => sessions.ended],
  ['sessionsMean', ({ concurrency }) => concurrency?.sessions.mean],
  ['turnsInFlightMean', ({ concurrency }) => concurrency?.turns.mean],
  ['turnOkMeanMs', (interval) => meanOf(interval, 'turn.ok')],
  ['turnOkMaxMs', ({ latency }) => latency['turn.ok']?.maxMs],
  ['turnFailedMeanMs', (interval) => meanOf(interval, 'turn.failed')],
  ['attemptOkMeanMs', (interval) => meanOf(interval, 'attempt.ok')],
  ['effectiveOkMeanMs', (interval) => meanOf(interval, 'effective.ok')],
  ['latenessMeanMs', (interval) => meanOf(interval, 'lateness')],
  ['latenessMaxMs', ({ latency }) => latency.lateness?.maxMs],
  ['eventLoopDelayP99Ms', ({ generator }) => generator?.eventLoopDelayP99Ms],
  ['cpuShare', ({ generator }) => generator?.cpuShare],
  ['rssBytes', ({ generator }) => generator?.rssBytes],
];

/** Further columns of a run with replies in pieces. */
const ofStreams: typeof columns = [
  ['firstTokenOkMeanMs', (interval) => meanOf(interval, 'firstToken.ok')],
  ['firstTokenOkMaxMs', ({ latency }) => latency['firstToken.ok']?.maxMs],
  ['gapOkMeanMs', (interval) => meanOf(interval, 'gap.ok')],
  ['gapOkMaxMs', ({ latency }) => latency['gap.ok']?.maxMs],
];

/** Renders the intervals of a result as CSV: a line each, below a line with the names of the columns. */
export function renderIntervalCsv({ intervals, stream }: Result): string {
  const shown = stream.replies === 0 ? columns : [...columns, ...ofStreams];
  const rows = intervals.map((interval) => shown.map(([, read]) => textOf(read(interval))));
  return [shown.map(([name]) => name), ...rows].map((cells) => cells.join(',')).join('\n');
}

type MeanPart = 'turn.ok' | 'turn.failed' | 'attempt.ok' | 'effective.ok' | 'lateness' | 'firstToken.ok' | 'gap.ok';

function meanOf({ latency }: Interval, name: MeanPart) {
  const series = latency[name];
  return series === undefined || series.count === 0 ? null : series.sumMs / series.count;
}

const textOf = (cell: Cell): string => (cell === null || cell === undefined ? '' : String(cell));
