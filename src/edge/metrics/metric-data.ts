import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type ExponentialHistogram,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { nanosPerUnit } from '../../plan/prices.ts';
import type { PartitionTotals, SeriesTotal } from '../../record/partition.ts';
import { explicitCounts, exponentialBuckets } from './buckets.ts';
import {
  exportedCounts,
  exportedGauges,
  isCost,
  isOfCosts,
  type ExportedCount,
  commonAttributes,
  exportedSeries,
  type ExportedSeries,
  type ExportedRun,
} from './exported-metrics.ts';

/**
 * Buckets of exported histograms: with fixed bounds, as in the text that Prometheus scrapes, or exponential ones. With
 * fixed bounds, zeros are exported too, so that no increase is missed. Backends with exponential buckets also store the
 * start of a series, and often charge per series.
 */
export type HistogramForm = 'explicit' | 'exponential';

/**
 * Yields the metrics of a run so far, in OpenTelemetry's data model: cumulative since the start of the run. Measured values
 * have the attribute `chat_load.warm_up: false`, and are published in the result; the consistency checks cover those of the
 * warm-up too. All metrics have the instant of the first step; a caller can pause between them.
 */
export function* metricDataOf(run: ExportedRun, form: HistogramForm, nowMs: number): Generator<MetricData, void> {
  const { plan } = run;
  const times = { startTime: hrTimeOf(Date.parse(run.run.startedAt)), endTime: hrTimeOf(nowMs) };
  const parts = run
    .totals()
    .filter(({ warmUp }) => !warmUp || plan.warmUpMs > 0)
    .map((totals) => ({ totals, attributes: attributesOf(run, totals) }));
  const exported: Exported = { run, parts, times, hasZeros: form === 'explicit' };
  yield* gaugesOf(exported);
  const hasCosts = plan.cost !== null || plan.prices !== null;
  for (const count of exportedCounts) if (hasCosts || !isOfCosts(count)) yield countOf(exported, count);
  for (const series of exportedSeries)
    yield form === 'explicit' ? explicitOf(exported, series) : exponentialOf(exported, series);
}

interface Exported {
  run: ExportedRun;
  parts: readonly { totals: PartitionTotals; attributes: Attributes }[];
  times: Pick<DataPoint<unknown>, 'startTime' | 'endTime'>;
  /** True if zeros are exported as well, such as outcomes that have not occurred. */
  hasZeros: boolean;
}

const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];

const attributesOf = ({ plan }: ExportedRun, { warmUp, policy }: PartitionTotals): Attributes => ({
  'chat_load.warm_up': warmUp,
  'chat_load.retry.policy': plan.retry[policy]?.name ?? '',
});

const cumulative = AggregationTemporality.CUMULATIVE;

function countOf({ parts, times, hasZeros }: Exported, count: ExportedCount): MetricData {
  const valueType = isCost(count) ? ValueType.DOUBLE : ValueType.INT;
  return {
    descriptor: { name: count.name, description: count.meaning, unit: count.unit, valueType },
    aggregationTemporality: cumulative,
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: parts.flatMap(({ totals, attributes }) =>
      valuesOf(count, totals)
        .filter(({ value }) => hasZeros || value !== 0)
        .map((each) => ({ ...times, attributes: { ...attributes, ...each.attributes }, value: each.value })),
    ),
  };
}

function valuesOf(count: ExportedCount, { counters }: PartitionTotals): { value: number; attributes: Attributes }[] {
  const { by } = count;
  const group: Readonly<Record<string, number>> = counters[count.group];
  const counted = count.counters ?? Object.keys(group).map((name) => ({ name, value: name }));
  return counted.map(({ name, value }) => ({
    value: (group[name] ?? 0) / (isCost(count) ? nanosPerUnit : 1),
    attributes: by === undefined ? {} : { [by]: value },
  }));
}

function gaugesOf({ run, times }: Exported): MetricData[] {
  const live = run.live();
  return exportedGauges.map(({ name, unit, meaning, field }) => ({
    descriptor: { name, description: meaning, unit, valueType: ValueType.INT },
    aggregationTemporality: cumulative,
    dataPointType: DataPointType.SUM,
    isMonotonic: false,
    dataPoints: [{ ...times, attributes: {}, value: live[field] }],
  }));
}

function explicitOf(exported: Exported, series: ExportedSeries): MetricData {
  return {
    // Prometheus has the unit in the name.
    descriptor: descriptorOf(series, `${series.name}.seconds`),
    aggregationTemporality: cumulative,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: pointsOf(exported, series, (total) => explicitValue(series.boundaries, total)),
  };
}

function exponentialOf(exported: Exported, series: ExportedSeries): MetricData {
  return {
    descriptor: descriptorOf(series, series.name),
    aggregationTemporality: cumulative,
    dataPointType: DataPointType.EXPONENTIAL_HISTOGRAM,
    dataPoints: pointsOf(exported, series, (total) => total && exponentialValue(total)),
  };
}

const descriptorOf = ({ meaning }: ExportedSeries, name: string): MetricData['descriptor'] => ({
  name,
  description: meaning,
  unit: 's',
  valueType: ValueType.DOUBLE,
});

/** Returns a point for every part of a series that has a value. */
function pointsOf<Value>(
  { run, parts, times }: Exported,
  series: ExportedSeries,
  valueOf: (total: SeriesTotal | undefined) => Value | undefined,
): DataPoint<Value>[] {
  const common = commonAttributes(series, run.target);
  return parts.flatMap(({ totals, attributes }) =>
    series.parts.flatMap((part) => {
      const value = valueOf(totals.series[part.recorded]);
      if (value === undefined) return [];
      return [{ ...times, attributes: { ...attributes, ...common, ...part.attributes }, value }];
    }),
  );
}

function explicitValue(boundaries: readonly number[], total: SeriesTotal | undefined): Histogram {
  const bounds = [...boundaries];
  if (total === undefined)
    return { count: 0, sum: 0, buckets: { boundaries: bounds, counts: new Array<number>(bounds.length + 1).fill(0) } };
  const { histogram, maxUs } = total;
  const counts = explicitCounts(histogram, { maxUs, boundaries });
  return { ...summaryOf(total), buckets: { boundaries: bounds, counts } };
}

function exponentialValue(total: SeriesTotal): ExponentialHistogram {
  const { scale, zeroCount, offset, bucketCounts } = exponentialBuckets(total.histogram, total.maxUs);
  return {
    ...summaryOf(total),
    scale,
    zeroCount,
    positive: { offset, bucketCounts },
    negative: { offset: 0, bucketCounts: [] },
  };
}

const summaryOf = ({ histogram, sumUs, minUs, maxUs }: SeriesTotal) => ({
  count: histogram.total,
  sum: sumUs / 1e6,
  min: minUs / 1e6,
  max: maxUs / 1e6,
});
