import type { Result } from '../../result/result.ts';
import type { FigureError } from '../../result/sections/figure-error.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { findDoubtful, headlineMetrics } from '../../result/metrics/doubtful.ts';
import { describeDoubtful } from '../../result/percentiles/doubt.ts';
import { renderCsv, type CsvColumn } from '../words/csv.ts';

/** Durations in milliseconds. */
const columns: readonly CsvColumn<Interval>[] = [
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

const streamColumns: typeof columns = [
  ['firstTokenOkMeanMs', (interval) => meanOf(interval, 'firstToken.ok')],
  ['firstTokenOkMaxMs', ({ latency }) => latency['firstToken.ok']?.maxMs],
  ['gapOkMeanMs', (interval) => meanOf(interval, 'gap.ok')],
  ['gapOkMaxMs', ({ latency }) => latency['gap.ok']?.maxMs],
];

export function renderIntervalCsv(result: Result): string {
  const { intervals, stream, latency } = result;
  const { turn, attempt, effective, firstToken, gap } = latency;
  const errors: Readonly<Record<string, FigureError>> = {
    turnOkMeanMs: turn.ok.errorMs,
    turnFailedMeanMs: turn.failed.errorMs,
    attemptOkMeanMs: attempt.ok.errorMs,
    effectiveOkMeanMs: effective.ok.errorMs,
    firstTokenOkMeanMs: firstToken.ok.errorMs,
    gapOkMeanMs: gap.ok.errorMs,
  };
  // The error of the whole run: an interval has too few probes for an error of its own.
  const withError = (column: CsvColumn<Interval>): CsvColumn<Interval>[] => {
    const [name] = column;
    const errorName = name.replace(/Ms$/, 'ErrorMs');
    return name in errors ? [column, [errorName, () => errors[name]?.meanMs]] : [column];
  };
  const shown = stream.replies === 0 ? columns : [...columns, ...streamColumns];
  return renderCsv(shown.flatMap(withError), intervals);
}

type MeanPart = 'turn.ok' | 'turn.failed' | 'attempt.ok' | 'effective.ok' | 'lateness' | 'firstToken.ok' | 'gap.ok';

function meanOf({ latency }: Interval, name: MeanPart) {
  const series = latency[name];
  return series === undefined || series.count === 0 ? null : series.sumMs / series.count;
}

/**
 * Renders the histograms of the intervals in the HdrHistogram log format, version 1.3: one line per interval and series.
 * The tag names the series, with the prefix `warmUp.` during the warm-up. Times are in seconds since the start of the
 * run, the maximum is in milliseconds, histogram values are in microseconds. Comments name the doubtful headline figures.
 */
export function renderIntervalHlog(result: Result): string {
  const { run, intervals } = result;
  const startedAt = new Date(run.startedAt);
  return [
    '#[Histogram log format version 1.3]',
    ...findDoubtful(headlineMetrics, result).map((each) => `#[Doubtful: ${describeDoubtful(each)}]`),
    `#[StartTime: ${seconds(startedAt.getTime())} (seconds since epoch), ${startedAt.toUTCString()}]`,
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ...intervals.flatMap(({ startMs, lengthMs, warmUp, latency }) =>
      Object.entries(latency).map(
        ([name, { maxMs, hdr }]) =>
          `Tag=${warmUp ? 'warmUp.' : ''}${name},${seconds(startMs)},${seconds(lengthMs)},${maxMs.toFixed(3)},${hdr}`,
      ),
    ),
  ].join('\n');
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
