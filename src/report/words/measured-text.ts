import { formatMs } from '../../base/format.ts';
import type { Percentile } from '../../result/percentiles/percentiles.ts';
import { toResolution } from '../../result/sections/latency-summary.ts';
import type { FigureError } from '../../result/sections/figure-error.ts';
import type { PercentileIntervals } from '../../result/percentiles/percentile-intervals.ts';
import { isDoubtful } from '../../result/percentiles/doubt.ts';

/** Explains the mark of doubtful figures, below a table or list that has one. */
export const doubtLegend =
  '~ marks a doubtful figure: the generator read replies late, and the true value is probably in the range';

/** Formats a latency. A doubtful one is marked, as the range in which the true value lies: `~374-412 ms`. */
export function measuredText(valueMs: number | null | undefined, errorMs: number | null | undefined): string {
  const text = formatMs(valueMs);
  if (valueMs == null || errorMs == null || !isDoubtful(valueMs, errorMs)) return text;
  const low = formatMs(Math.max(0, valueMs - errorMs));
  const [number = low, unit] = low.split(' ');
  return `~${text.endsWith(` ${unit ?? ''}`) ? number : low}-${text}`;
}

/** A summary of a latency with the errors of its percentiles. */
interface Summary extends Partial<Record<Percentile['key'], number | null>> {
  errorMs?: FigureError;
  resolutionMs?: number | undefined;
}

/** Formats a percentile of a summary, with a mark if it is doubtful. */
export function percentileText(summary: Summary, key: Percentile['key']): string {
  return figureText({ valueMs: summary[key], errorMs: summary.errorMs?.[key], resolutionMs: summary.resolutionMs });
}

interface Figure {
  valueMs: number | null | undefined;
  errorMs: number | null | undefined;
  resolutionMs: number | undefined;
}

/** Formats a latency rounded to the resolution of polled replies, otherwise with a mark if it is doubtful. */
export function figureText({ valueMs, errorMs, resolutionMs }: Figure): string {
  return resolutionMs === undefined ? measuredText(valueMs, errorMs) : latencyText({ resolutionMs }, valueMs);
}

/** Formats a latency of a summary, rounded to the resolution of polled replies: `1.5 s`, `<500 ms`. */
export function latencyText({ resolutionMs }: Summary, valueMs: number | null | undefined): string {
  if (resolutionMs === undefined || valueMs == null || !Number.isFinite(valueMs)) return formatMs(valueMs);
  if (Math.round(valueMs / resolutionMs) === 0) return `<${stepText(resolutionMs)}`;
  return stepText(toResolution(valueMs, resolutionMs));
}

/** Formats a multiple of the resolution without zeros at its end. */
export function stepText(ms: number): string {
  return formatMs(ms).replace(/\.(\d*?)0+ /, (_, digits: string) => `${digits && '.'}${digits} `);
}

/** Returns the ends of the 95 % interval of a percentile as text, if it has one. The measurement error only makes figures too high. */
export function intervalTexts(
  summary: Summary & { intervals?: PercentileIntervals | null | undefined },
  key: Percentile['key'],
): { low: string; high: string } | undefined {
  const { intervals, errorMs } = summary;
  const interval = intervals?.[key] ?? null;
  if (interval === null) return undefined;
  const lowMs = Math.max(0, interval.lowMs - (errorMs?.[key] ?? 0));
  return { low: latencyText(summary, lowMs), high: latencyText(summary, interval.highMs ?? Infinity) };
}

/** Reports whether a percentile of a summary is doubtful. */
export function isDoubtfulIn(summary: Summary, key: Percentile['key']): boolean {
  const [value, error] = [summary[key], summary.errorMs?.[key]];
  return value != null && error != null && isDoubtful(value, error);
}
