import { z } from 'zod';
import { positions, turnSeriesNames, type SeriesName } from '../record/series.ts';
import { mergeSeries, type StoredSeries } from '../record/stored-series.ts';
import type { Tally } from '../record/tally.ts';
import { count } from './field.ts';
import {
  latencySummarySchema,
  percentilesBy,
  percentileShape,
  summarize,
  valuesByRank,
  type LatencySummary,
} from './latency-summary.ts';
import { percentiles, rankOf } from './percentiles.ts';

const adjustedSchema = z.object({
  count: count('Values, failed ones included'),
  infinite: z
    .boolean()
    .describe('Whether a percentile that has enough samples is infinite: it falls among the failed turns, and is null'),
  infiniteFrom: z
    .enum(percentiles.map(({ key }) => key))
    .nullable()
    .describe('The lowest infinite percentile; null when none is'),
  ...percentileShape,
});
export type Adjusted = z.infer<typeof adjustedSchema>;

const splitSchema = latencySummarySchema.extend({
  ok: latencySummarySchema.describe('Those that ended ok'),
  failed: latencySummarySchema.describe('Those that failed'),
});
const turnLatencySchema = splitSchema.extend({
  adjusted: adjustedSchema.describe('Percentiles in which a failed turn counts as infinitely slow'),
});

export const latencySchema = z.object({
  attempt: splitSchema.describe("Attempts of turns: from the send to the response's last byte, or the failure"),
  firstByte: latencySummarySchema.describe(
    'Attempts with a response head: from the send to the first byte of the response',
  ),
  connect: latencySummarySchema.describe('DNS, TCP and TLS of attempts that opened a connection'),
  turn: turnLatencySchema.describe("Turns, from the first attempt's send to the end of the last, backoffs included"),
  effective: turnLatencySchema.describe(
    'Turns, from the instant they were due: with all queueing and delay of the generator',
  ),
  lateness: latencySummarySchema.describe(
    'Turns, from being ready to their first send: the delay that the generator added',
  ),
  sessionCreate: latencySummarySchema.describe(
    "Sessions created, from the first create attempt's send to the session id",
  ),
  sessionLateness: latencySummarySchema.describe('Sessions started, from being due to the first send; open load only'),
  backoff: latencySummarySchema.describe('Backoffs of turns that ended in a retry, as planned'),
  backoffActual: latencySummarySchema.describe('The same backoffs, as they were'),
});
export type Latency = z.infer<typeof latencySchema>;

export const positionsSchema = z.array(
  splitSchema.extend({
    position: z.enum(positions).describe("The turn's number in its session, or a range of numbers"),
  }),
);
export type Positions = z.infer<typeof positionsSchema>;

/** The latency section of a tally. */
export function buildLatency(tally: Tally): Latency {
  const one = (name: SeriesName): LatencySummary => summarize(tally.series[name]);
  const { 'attempt.ok': ok, 'attempt.failed': failed } = tally.series;
  return {
    attempt: splitOf(ok, failed),
    firstByte: one('firstByte'),
    connect: one('connect'),
    turn: withAdjusted(turnsOf(tally, 'ok'), turnsOf(tally, 'failed')),
    effective: withAdjusted(tally.series['effective.ok'], tally.series['effective.failed']),
    lateness: one('lateness'),
    sessionCreate: one('sessionCreate'),
    sessionLateness: one('sessionLateness'),
    backoff: one('backoff'),
    backoffActual: one('backoffActual'),
  };
}

/** Turns by their position in the session, every position in its place. */
export const buildPositions = ({ series }: Tally): Positions =>
  positions.map((position) => ({
    position,
    ...splitOf(series[`turn.${position}.ok`], series[`turn.${position}.failed`]),
  }));

/** Ok or failed turns of all positions. */
export const turnsOf = ({ series }: Tally, end: 'ok' | 'failed'): StoredSeries | undefined =>
  mergeSeries(turnSeriesNames(end).map((name) => series[name]));

const splitOf = (ok: StoredSeries | undefined, failed: StoredSeries | undefined) => ({
  ...summarize(mergeSeries([ok, failed])),
  ok: summarize(ok),
  failed: summarize(failed),
});

const withAdjusted = (ok: StoredSeries | undefined, failed: StoredSeries | undefined) => ({
  ...splitOf(ok, failed),
  adjusted: adjust(ok, failed?.count ?? 0),
});

/** Ranks beyond the ok turns are those of failed ones: infinitely slow. */
function adjust(ok: StoredSeries | undefined, failed: number): Adjusted {
  const okCount = ok?.count ?? 0;
  const count = okCount + failed;
  const okAt = ok === undefined ? () => null : valuesByRank(ok);
  const first = percentiles.find(({ percent, floor }) => count >= floor && rankOf(percent, count) > okCount);
  return {
    count,
    infinite: first !== undefined,
    infiniteFrom: first?.key ?? null,
    ...percentilesBy(count, (rank) => (rank > okCount ? null : okAt(rank))),
  };
}
