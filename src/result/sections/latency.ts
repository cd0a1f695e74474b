import { z } from 'zod';
import { sumCounters } from '../../record/counters.ts';
import { positions } from '../../record/positions.ts';
import {
  isOfModel,
  isSplit,
  publishedSeries,
  recordedNames,
  turnSeriesNames,
  type AdjustedSeries,
  type End,
  type PublishedSeries,
  type SeriesName,
  type SplitSeries,
} from '../../record/series.ts';
import type { Series } from '../../record/series-table.ts';
import { mergeSeries, type StoredSeries } from '../../record/stored-series.ts';
import type { Tally } from '../../record/tally.ts';
import { count, listOf, flag, amountOrNull } from '../../base/field.ts';
import {
  intervalsField,
  latencySummarySchema,
  percentilesBy,
  percentileShape,
  resolutionField,
  summarizeLatency,
  valuesByRank,
  type LatencySummary,
} from './latency-summary.ts';
import {
  openThrough,
  percentileIntervals,
  type MeasuredPart,
  type PercentileIntervals,
} from '../percentiles/percentile-intervals.ts';
import { percentiles, type Percentile } from '../percentiles/percentiles.ts';
import { figureErrorSchema, unmeasuredErrors, type DelayKind, type FigureErrors } from './figure-error.ts';
import { rankOf } from '../../statistics/rank-of.ts';

const adjustedSchema = z.object({
  count: count('Number of values, including failed ones'),
  infinite: flag(
    'True if a percentile with enough samples is infinite, because it falls among failed turns: it is null',
  ),
  infiniteFrom: z
    .enum(percentiles.map(({ key }) => key))
    .nullable()
    .describe('Lowest infinite percentile; null if none is'),
  ...percentileShape,
  intervals: intervalsField,
  errorMs: figureErrorSchema,
  resolutionMs: resolutionField,
});
export type Adjusted = z.infer<typeof adjustedSchema>;

const splitSchema = latencySummarySchema.extend({
  ok: latencySummarySchema.describe('Successful ones'),
  failed: latencySummarySchema.describe('Failed ones'),
});
const turnLatencySchema = splitSchema.extend({
  adjusted: adjustedSchema.describe('Percentiles with failed turns counted as infinitely slow'),
});

type SectionOf<Each extends PublishedSeries> = Each extends { isOfModel: true }
  ? z.ZodOptional<typeof latencySummarySchema>
  : Each extends AdjustedSeries
    ? typeof turnLatencySchema
    : Each extends SplitSeries
      ? typeof splitSchema
      : typeof latencySummarySchema;

function schemaOf(series: PublishedSeries) {
  const schema = series.isAdjusted ? turnLatencySchema : isSplit(series) ? splitSchema : latencySummarySchema;
  const described = schema.describe(describeSeries(series));
  return isOfModel(series) ? described.optional() : described;
}

export const latencySchema = z
  .object(
    Object.fromEntries(publishedSeries.map((series) => [series.name, schemaOf(series)])) as {
      [Each in PublishedSeries as Each['name']]: SectionOf<Each>;
    },
  )
  .extend({
    resolutionMs: amountOrNull(
      'Interval of the polls for replies: latencies of attempts and turns are known up to it (milliseconds; null: replies are not polled)',
    ).default(null),
  });
export type Latency = z.infer<typeof latencySchema>;

export const positionsSchema = listOf(
  splitSchema.extend({
    position: z.enum(positions).describe('Number of the turn in its session, or a range of numbers'),
    firstToken: splitSchema
      .optional()
      .describe('Time to the first token of its attempts; omitted without streamed content'),
    empty: count('Ok turns whose reply has neither text nor a tool call').default(0),
    cut: count('Ok turns whose reply was cut off at a limit of tokens').default(0),
  }),
  positions.length,
);
export type Positions = z.infer<typeof positionsSchema>;

/**
 * Builds the latency section of a tally, with confidence intervals if the run is provided interval by interval, and with
 * measurement errors if its read delays were measured. `resolutionMs`: interval of its polls.
 */
export function buildLatency(
  tally: Tally,
  through: readonly MeasuredPart[] = [],
  errors: FigureErrors = unmeasuredErrors,
  resolutionMs: number | null = null,
): Latency {
  const run = { tally, through, errors, resolutionMs };
  const kept = publishedSeries.filter((series) => !isOfModel(series) || tally.series[series.name] !== undefined);
  const sections = kept.map((series) => [series.name, sectionOf(polledOnly(run, series), series)]);
  return { ...(Object.fromEntries(sections) as Omit<Latency, 'resolutionMs'>), resolutionMs };
}

/** Removes the resolution from a series whose values do not end with a reply that may be polled. */
const polledOnly = (run: RunTallies, { isOfPolls }: Series): RunTallies =>
  isOfPolls === true ? run : { ...run, resolutionMs: null };

function sectionOf(run: RunTallies, series: PublishedSeries): NonNullable<Latency[PublishedSeries['name']]> {
  const { delays } = series;
  if (!isSplit(series)) return summaryOf(run, recordedNames(series), delays);
  const [ok, failed] = [recordedNames(series, 'ok'), recordedNames(series, 'failed')];
  const split = splitOf(run, { ok, failed }, delays);
  return series.isAdjusted ? { ...split, adjusted: adjust(run, { ok, failed }, delays) } : split;
}

/** Describes a series: `Turns: from the first attempt's send to the end of the last attempt, ...`. */
function describeSeries({ holds, from, to }: PublishedSeries): string {
  return `${holds.charAt(0).toUpperCase()}${holds.slice(1)}: from ${from} to ${to}`;
}

export function buildPositions(
  tally: Tally,
  through: readonly MeasuredPart[] = [],
  errors: FigureErrors = unmeasuredErrors,
  resolutionMs: number | null = null,
): Positions {
  const run = { tally, through, errors, resolutionMs };
  const { replyEnds } = sumCounters([tally.counters]);
  return positions.map((position) => {
    const names = (series: 'turn' | 'firstToken') =>
      ({ ok: [`${series}.${position}.ok`], failed: [`${series}.${position}.failed`] }) as const;
    const firstToken = splitOf({ ...run, resolutionMs: null }, names('firstToken'), 'read');
    return {
      position,
      ...splitOf(run, names('turn'), 'turn'),
      ...(firstToken.count > 0 && { firstToken }),
      empty: replyEnds[`${position}.empty`],
      cut: replyEnds[`${position}.length`],
    };
  });
}

export function turnSeries(tally: Tally, end: End): StoredSeries | undefined {
  return together(tally, turnSeriesNames(end));
}

interface RunTallies {
  tally: Tally;
  through: readonly MeasuredPart[];
  errors: FigureErrors;
  resolutionMs: number | null;
}

const resolutionOf = ({ resolutionMs }: RunTallies): { resolutionMs?: number } =>
  resolutionMs === null ? {} : { resolutionMs };

/** Recorded names of the ok and the failed part of a series. */
type SplitNames = Record<End, readonly SeriesName[]>;

const together = ({ series }: Tally, names: readonly SeriesName[]): StoredSeries | undefined =>
  mergeSeries(names.map((name) => series[name]));

function summaryOf(run: RunTallies, names: readonly SeriesName[], delays: DelayKind): LatencySummary {
  const { tally, through, errors } = run;
  const series = together(tally, names);
  if (series === undefined) return summarizeLatency(series);
  const quantileAt = ({ percent, floor }: Percentile): number | null => (series.count < floor ? null : percent / 100);
  const figures = summarizeLatency(series, intervalsOf(series, through, names), errors(delays, series, quantileAt));
  return { ...figures, ...resolutionOf(run) };
}

function intervalsOf(
  series: StoredSeries,
  parts: readonly MeasuredPart[],
  names: readonly SeriesName[],
): PercentileIntervals | null {
  const { count } = series;
  const window = openThrough(parts, names, count);
  return window === undefined ? null : percentileIntervals({ count, valueAt: valuesByRank(series), window, parts });
}

/** Splits a series; if nothing failed, the ok part is the whole. */
function splitOf(run: RunTallies, names: SplitNames, delays: DelayKind) {
  const whole = summaryOf(run, [...names.ok, ...names.failed], delays);
  const failed = summaryOf(run, names.failed, delays);
  return { ...whole, ok: failed.count === 0 ? whole : summaryOf(run, names.ok, delays), failed };
}

/** Builds the adjusted percentiles: ranks beyond the ok turns belong to failed ones, which are infinitely slow. */
function adjust(run: RunTallies, { ok: okNames, failed: failedNames }: SplitNames, delays: DelayKind): Adjusted {
  const { tally, through, errors } = run;
  const ok = together(tally, okNames);
  const okCount = ok?.count ?? 0;
  const count = okCount + (together(tally, failedNames)?.count ?? 0);
  const okAt = ok === undefined ? () => null : valuesByRank(ok);
  const valueAt = (rank: number): number | null => (rank > okCount ? null : okAt(rank));
  const first = percentiles.find(({ percent, floor }) => count >= floor && rankOf(percent, count) > okCount);
  const quantileAt = ({ percent, floor }: Percentile): number | null => {
    const rank = rankOf(percent, count);
    return count < floor || rank > okCount ? null : rank / okCount;
  };
  const window = openThrough(through, okNames, okCount);
  const failedIn = ({ tallies }: MeasuredPart): number =>
    tallies.reduce((sum, { series }) => failedNames.reduce((all, name) => all + (series[name]?.count ?? 0), sum), 0);
  return {
    count,
    infinite: first !== undefined,
    infiniteFrom: first?.key ?? null,
    ...percentilesBy(count, valueAt),
    intervals:
      window === undefined
        ? null
        : percentileIntervals({ count, valueAt, window, beyond: through.map(failedIn), parts: through }),
    errorMs: ok === undefined ? null : errors(delays, ok, quantileAt),
    ...resolutionOf(run),
  };
}
