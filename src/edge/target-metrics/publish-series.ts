import { mean } from '../../statistics/averages.ts';
import type { TargetMetric } from '../../result/sections/target-metrics.ts';
import type { WantedSeries } from './known-series.ts';
import { maxLabelSets, type Family, type Sums } from './sample-reader.ts';
import { difference, type SeriesCount } from './series-count.ts';

/** Values of a series at one point of its lines. */
interface SeriesPoint {
  atMs: number;
  /** False for the scrapes before and after the load. */
  isDuring: boolean;
  gauges: ReadonlyMap<string, number> | undefined;
  /** Increase of a counter or a histogram since the first scrape; `undefined`: not known. */
  increase: Sums | undefined;
}

interface PublishedSeries {
  series: WantedSeries;
  kind: Family['kind'];
  /** Number of label sets of a gauge that were not kept. */
  omitted: number;
  counted: SeriesCount;
  points: readonly SeriesPoint[];
}

/** Publishes the lines of a series over time, and the increase of a counter. */
export function publishSeries({ series, kind, omitted, counted, points }: PublishedSeries): TargetMetric {
  const about = { name: series.key, title: series.title, kind, unit: unitOf(series, kind) };
  if (kind !== 'gauge') return { ...about, omitted, ...publishCounter(series, kind, { counted, points }) };
  const names = [...new Set(points.flatMap(({ gauges }) => [...(gauges?.keys() ?? [])]))];
  return {
    ...about,
    before: null,
    after: null,
    increase: null,
    resets: 0,
    vanished: 0,
    isExact: true,
    omitted: omitted + Math.max(0, names.length - maxLabelSets),
    lines: names.slice(0, maxLabelSets).map((name) => {
      const values = points.map(({ gauges }) => finite(inUnit(gauges?.get(name), series, kind)));
      const during = values.filter((value, index) => value !== null && points[index]?.isDuring === true);
      return lineOf(name, values, { values: during });
    }),
  };
}

type Counted = Omit<TargetMetric, 'name' | 'title' | 'kind' | 'unit' | 'omitted'>;

function publishCounter(
  series: WantedSeries,
  kind: 'counter' | 'histogram',
  { counted, points }: Pick<PublishedSeries, 'counted' | 'points'>,
): Counted {
  let since: { atMs: number; increase: Sums } | undefined;
  let wholeMs = 0;
  const figures = points.map(({ atMs, increase }) => {
    if (increase === undefined) return {};
    const before = since;
    since = { atMs, increase };
    if (before === undefined) return {};
    const ms = atMs - before.atMs;
    wholeMs += ms;
    return figuresOf(difference(increase, before.increase), ms, series, kind);
  });
  const { first, latest, increase, resets, vanished, isExact } = counted;
  const whole = figuresOf(increase, wholeMs, series, kind);
  const count = (sums: Sums | undefined): number | null =>
    series.isCpu ? null : finite(kind === 'histogram' ? sums?.count : sums?.sum);
  return {
    before: count(first),
    after: count(latest),
    increase: wholeMs > 0 ? count(increase) : null,
    resets,
    vanished,
    isExact,
    lines: Object.entries(whole).map(([name, value]) => {
      const values = figures.map((each) => finite(each[name]));
      return lineOf(name, values, { mean: wholeMs > 0 ? finite(value) : null, values });
    }),
  };
}

/** Returns the figures of a period by the name of their line. */
function figuresOf(
  { sum, count, idle, buckets }: Sums,
  ms: number,
  series: WantedSeries,
  kind: Family['kind'],
): Readonly<Record<string, number | undefined>> {
  if (series.isCpu) return { busy: Math.min(1, Math.max(0, 1 - idle / sum)) };
  if (kind === 'counter') return { rate: sum / (ms / 1000) };
  if (buckets.size === 0) return { mean: inUnit(sum / count, series, kind) };
  const [p50, p95] = [0.5, 0.95].map((share) => inUnit(quantile(buckets, share), series, kind));
  return { p50, p95 };
}

/** Builds a line; six digits are more than a chart shows, and shorten the result. */
function lineOf(
  name: string,
  values: readonly (number | null)[],
  of: { values: readonly (number | null)[]; mean?: number | null },
): TargetMetric['lines'][number] {
  const known = of.values.flatMap((value) => value ?? []);
  const some = known.length > 0;
  return {
    name,
    values: values.map((value) => value && Number(value.toPrecision(6))),
    mean: of.mean === undefined ? (some ? mean(known) : null) : of.mean,
    max: some ? Math.max(...known) : null,
  };
}

/** Estimates a quantile of cumulative buckets, linearly within a bucket, as `histogram_quantile` of Prometheus does. */
function quantile(buckets: ReadonlyMap<number, number>, share: number): number | undefined {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (!(total > 0)) return undefined;
  const rank = share * total;
  const at = sorted.findIndex(([, count]) => count >= rank);
  const [bound, count] = sorted[at] ?? [Infinity, total];
  const [low, below] = sorted[at - 1] ?? [0, 0];
  if (!Number.isFinite(bound)) return at <= 0 ? undefined : low;
  return low + (bound - low) * ((rank - below) / (count - below));
}

/** Documents have no other numbers. */
const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

function unitOf({ name, isShare, isCpu }: WantedSeries, kind: Family['kind']): TargetMetric['unit'] {
  if (isShare || isCpu) return 'share';
  if (kind === 'counter') return 'perSecond';
  // LiteLLM's latencies are in seconds, without the suffix.
  if (/_seconds$|_latency_metric$/.test(name)) return 'ms';
  return name.endsWith('_bytes') ? 'bytes' : 'count';
}

const inUnit = (value: number | undefined, series: WantedSeries, kind: Family['kind']): number | undefined =>
  value && (unitOf(series, kind) === 'ms' ? value * 1000 : value);
