import type { Result } from '../../result/result.ts';

/**
 * Renders the histograms of the intervals in the log format of HdrHistogram, version 1.3: a line for each interval and
 * series, which is in its tag; those of the warm-up under `warmUp.`. Times are seconds since the start of the run, the
 * maximum is in milliseconds, values in the histograms are microseconds.
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
