import { mean } from '../../statistics/averages.ts';
import type { Result } from '../../result/result.ts';
import type { MetricsEndpoint } from '../../result/sections/target-metrics.ts';
import { rounded } from '../page/page.ts';
import type { Columns } from './series-columns.ts';

type TargetMetrics = Result['targetMetrics'];
type Metric = MetricsEndpoint['metrics'][number];
type Line = Metric['lines'][number];

/** A line of the target's metrics, and its column in a timeline. */
export interface MetricLine {
  endpoint: MetricsEndpoint;
  metric: Metric;
  line: Line;
  column: string;
}

export function metricLines(metrics: TargetMetrics | undefined): MetricLine[] {
  return (metrics?.endpoints ?? []).flatMap((endpoint, index) =>
    endpoint.metrics.flatMap((metric) =>
      metric.lines.map((line) => {
        const column = ['target', String(index), metric.name, line.name].join(' ');
        return { endpoint, metric, line, column };
      }),
    ),
  );
}

interface Width {
  startMs: number;
  lengthMs: number;
}

/** Returns the target's metrics by the intervals of a run, so that they share its time axis. */
export function metricColumns(metrics: TargetMetrics | undefined, intervals: readonly Width[]): Columns {
  const windows = new Map(metrics?.endpoints.map((endpoint) => [endpoint, windowsOf(endpoint, intervals)]));
  return Object.fromEntries(
    metricLines(metrics).map(({ endpoint, metric, line, column }) => {
      const values = (windows.get(endpoint) ?? []).map((window) => valueIn(window, metric.kind, line.values));
      return [column, values];
    }),
  );
}

/** The points of an interval, or the points before and after it, by index; -1: none within 2.5 times the usual distance. */
interface Window {
  from: number;
  to: number;
  before: number;
  after: number;
}

function windowsOf({ atMs, everyMs }: MetricsEndpoint, intervals: readonly Width[]): Window[] {
  const firstFrom = (ms: number): number => {
    const at = atMs.findIndex((each) => each >= ms);
    return at === -1 ? atMs.length : at;
  };
  const isNear = (index: number, startMs: number): boolean =>
    Math.abs((atMs[index] ?? Infinity) - startMs) <= 2.5 * everyMs;
  return intervals.map(({ startMs, lengthMs }) => {
    const [from, to] = [firstFrom(startMs), firstFrom(startMs + lengthMs)];
    return { from, to, before: isNear(from - 1, startMs) ? from - 1 : -1, after: isNear(to, startMs) ? to : -1 };
  });
}

/** Returns the mean of the points in an interval. Between two points, a gauge keeps its value, and a rate is that of the period. */
function valueIn({ from, to, before, after }: Window, kind: Metric['kind'], values: Line['values']): number | null {
  const inside = values.slice(from, to);
  const known = inside.flatMap((value) => value ?? []);
  const between = inside.length === 0 ? (values[kind === 'gauge' ? before : after] ?? null) : null;
  const value = known.length > 0 ? mean(known) : between;
  return value === null ? null : rounded(value);
}
