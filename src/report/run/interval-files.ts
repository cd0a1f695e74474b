import type { Result } from '../../result/result.ts';
import type { Interval } from '../../result/sections/intervals.ts';
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

export function renderIntervalCsv({ intervals, stream }: Result): string {
  return renderCsv(stream.replies === 0 ? columns : [...columns, ...streamColumns], intervals);
}

type MeanPart = 'turn.ok' | 'turn.failed' | 'attempt.ok' | 'effective.ok' | 'lateness' | 'firstToken.ok' | 'gap.ok';

function meanOf({ latency }: Interval, name: MeanPart) {
  const series = latency[name];
  return series === undefined || series.count === 0 ? null : series.sumMs / series.count;
}

/**
 * Renders the histograms of the intervals in the HdrHistogram log format, version 1.3: one line per interval and series.
 * The tag names the series, with the prefix `warmUp.` during the warm-up. Times are in seconds since the start of the
 * run, the maximum is in milliseconds, histogram values are in microseconds.
 */
export function renderIntervalHlog({ run, intervals }: Result): string {
  const startedAt = new Date(run.startedAt);
  return [
    '#[Histogram log format version 1.3]',
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
