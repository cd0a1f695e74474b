import { z } from 'zod';
import { amountOrNull } from '../../base/field.ts';
import { sumCounters, total, weightedTotal, type Counters } from '../../record/counters.ts';
import { quantileOf } from '../../record/histogram.ts';
import type { PublishedSeries } from '../../record/series.ts';
import { withoutWaits } from '../../record/shifts.ts';
import { lowestOf, readSparse, type SparseHistogram } from '../../record/sparse-histogram.ts';
import type { StoredSeries } from '../../record/stored-series.ts';
import type { Tally } from '../../record/tally.ts';
import {
  binQuantiles,
  differenceOfDelays,
  measurementErrors,
  mixtureOf,
  sumOfDelays,
  type Binned,
} from '../../statistics/measurement-error.ts';
import { percentiles, type Percentile } from '../percentiles/percentiles.ts';

const errorField = (name: string) =>
  amountOrNull(`Error of the ${name}: the true value is at most this much lower (milliseconds)`);

export const figureErrorSchema = z
  .object({
    meanMs: errorField('mean'),
    ...(Object.fromEntries(percentiles.map(({ key, name }) => [key, errorField(name)])) as Record<
      Percentile['key'],
      ReturnType<typeof errorField>
    >),
  })
  .nullable()
  .default(null)
  .describe(
    'Measurement error of these figures, from the delay with which the generator read during the run (generator.error); null if it was not measured',
  );
export type FigureError = z.infer<typeof figureErrorSchema>;

/** A series that shares its delays with others: `delays` of the series table. */
export type DelayKind = PublishedSeries['delays'];

/**
 * Returns the errors of a series of a run. `quantileAt`: the quantile of its values (from 0 to 1) that is the published
 * percentile, or `null` for a percentile without a value.
 */
export type FigureErrors = (
  delays: DelayKind,
  series: StoredSeries,
  quantileAt: (percentile: Percentile) => number | null,
) => FigureError;

/** Errors of a run whose read delays were not measured. */
export const unmeasuredErrors: FigureErrors = () => null;

/** Fewer probes do not show the tail. */
const minProbes = 20;

/** Factor on the waits for the event loop, which are known to some milliseconds, and of which one more or less decides a tail. */
const waitMargin = 1.25;

/** Highest number of delays that one value is assumed to contain. */
const maxDelays = 8;

/** Reads that opening a connection takes, besides the read of the reply: the address, TCP, and the two flights of a TLS handshake. */
const readsOfConnecting = { plain: 2, tls: 4 };

/** Builds the errors of the figures of a run from its measured part. */
export function figureErrorsOf({ counters: stored, series }: Tally, { isTls }: { isTls: boolean }): FigureErrors {
  const { readDelay, replyDelay, lateness } = series;
  if (readDelay === undefined || readDelay.count < minProbes) return unmeasuredErrors;
  const measuredDelays = replyDelay === undefined ? [readDelay] : [readDelay, replyDelay];
  const single = delayOf(measuredDelays);
  const counters = sumCounters([stored]);
  const connecting = isTls ? readsOfConnecting.tls : readsOfConnecting.plain;
  const delayOfSum = keep((times: number): Binned =>
    times <= 1 ? single : sumOfDelays(delayOfSum(times - 1), single),
  );
  const sent =
    lateness === undefined || lateness.count === 0
      ? undefined
      : withoutWaits(readSparse(lateness.hdr), lateness.shifts);
  const late = sent === undefined ? undefined : binQuantiles((quantile) => quantileOf(sent, quantile));
  const lateMeanMs = sent === undefined ? 0 : meanOf(sent);
  /** Any value may be one that waited for its connection. */
  const withConnecting = keep((times: number): Binned =>
    mixtureOf(delayOfSum(times), delayOfSum(Math.min(times + connecting, maxDelays)), connectedShare(counters)),
  );
  const fromDue = keep((times: number): Binned =>
    late === undefined ? withConnecting(times) : sumOfDelays(withConnecting(times), late),
  );
  const delayOfReads = (reads: number, delays: DelayKind): Binned => {
    const times = Math.min(reads, maxDelays);
    if (delays === 'connect') return delayOfSum(times);
    return isFromDue(delays) ? fromDue(times) : withConnecting(times);
  };
  const difference = keep((): Binned => differenceOfDelays(single));
  const meanMs = Math.max(
    ...measuredDelays.map((series) => meanOf(withoutWaits(readSparse(series.hdr), series.shifts))),
  );

  /** Several figures are of the same values: adjusted percentiles, a retry policy that is the only one. */
  const estimates = new Map<string, Estimate>();
  const estimateOf = (delays: DelayKind, values: StoredSeries): Estimate => {
    const key = `${delays} ${values.hdr} ${values.shifts ?? ''}`;
    const there = estimates.get(key);
    if (there !== undefined) return there;
    const recorded = readSparse(values.hdr);
    const unwaited = withoutWaits(recorded, values.shifts);
    const measured = binsOf(unwaited);
    const scale = delays === 'perToken' ? 1 / meanGaps(counters) : 1;
    const errorsBy = keep((times: number) => {
      const delay = isDifference(delays) ? scaled(difference(0), scale) : delayOfReads(times, delays);
      return measurementErrors(measured, delay, values.count);
    });
    const estimate = { recorded, unwaited, errorsBy };
    estimates.set(key, estimate);
    return estimate;
  };

  return (delays, values, quantileAt) => {
    if (delays === 'elsewhere') return null;
    const { recorded, unwaited, errorsBy } = estimateOf(delays, values);
    const errorAt = (quantile: number, valueMs: number): number => {
      if (delays === 'none') return 0;
      const times = isDifference(delays) ? 1 : readsAt(quantile, { delays, counters, connecting });
      const waitedMs = valueMs - quantileOf(unwaited, quantile);
      // No true value is negative.
      return Math.min(valueMs, waitMargin * Math.max(0, waitedMs) + errorsBy(times)(quantile));
    };
    const mean =
      delays === 'none' || isDifference(delays)
        ? 0
        : meanOf(recorded) -
          meanOf(unwaited) +
          meanMs * meanReads({ delays, counters, connecting }) +
          (isFromDue(delays) ? lateMeanMs : 0);
    let lowestMs = 0;
    const errors = percentiles.map((percentile) => {
      const quantile = quantileAt(percentile);
      if (quantile === null) return [percentile.key, null];
      const valueMs = quantileOf(recorded, quantile);
      // No true percentile is below a lower one.
      lowestMs = Math.max(lowestMs, valueMs - errorAt(quantile, valueMs));
      return [percentile.key, Math.max(0, valueMs - lowestMs)];
    });
    return { meanMs: mean, ...(Object.fromEntries(errors) as Record<Percentile['key'], number | null>) };
  };
}

/** The values of a series, the same less what they waited, and their errors by the number of reads in a value. */
interface Estimate {
  recorded: SparseHistogram;
  unwaited: SparseHistogram;
  errorsBy: (times: number) => (quantile: number) => number;
}

/** Reports whether values lie between two reads, whose delays subtract. */
const isDifference = (delays: DelayKind): boolean => delays === 'difference' || delays === 'perToken';

/** Reports whether values begin at the due instant: they contain the lateness, which is recorded, instead of estimated. */
const isFromDue = (delays: DelayKind): boolean => delays === 'due' || delays === 'dueRead';

/** Remembers the result for each number. */
function keep<Result>(make: (of: number) => Result): (of: number) => Result {
  const made = new Map<number, Result>();
  return (of) => {
    const there = made.get(of);
    if (there !== undefined) return there;
    const result = make(of);
    made.set(of, result);
    return result;
  };
}

/**
 * Returns the distribution of the delay of one read: at each quantile the larger of the delay at random instants and the
 * delay at the replies, since replies arrive together, and stalls occur when there is work.
 */
function delayOf(measured: readonly Pick<StoredSeries, 'hdr' | 'shifts'>[]): Binned {
  const histograms = measured.map(({ hdr, shifts }) => withoutWaits(readSparse(hdr), shifts));
  return binQuantiles((quantile) => Math.max(...histograms.map((histogram) => quantileOf(histogram, quantile))));
}

/** Returns the mean in milliseconds, of values in the middle of their buckets. */
const meanOf = ({ indexes, counts, total }: SparseHistogram): number =>
  indexes.reduce((sum, index, at) => sum + ((lowestOf(index) + lowestOf(index + 1)) / 2) * (counts[at] ?? 0), 0) /
  1000 /
  total;

const scaled = ({ from, to, weights }: Binned, by: number): Binned => ({
  from: from.map((value) => value * by),
  to: to.map((value) => value * by),
  weights,
});

/** Returns the mean number of gaps between content events of a reply, at least 1. */
function meanGaps({ streams }: Counters): number {
  return Math.max(1, streams.gapsOk / Math.max(1, streams.ok));
}

interface Reading {
  delays: DelayKind;
  counters: Counters;
  connecting: number;
}

/**
 * Returns the number of reads and timers in the values near a quantile, without those of connecting. The slowest turns are assumed to
 * be those with the most attempts.
 */
function readsAt(quantile: number, { delays, counters, connecting }: Reading): number {
  switch (delays) {
    case 'connect':
      return connecting;
    case 'turn':
    case 'due':
      return readsOfAttempts(quantile, counters);
    default:
      return 1;
  }
}

/** Returns the mean number of reads and timers in a value. */
function meanReads({ delays, counters, connecting }: Reading): number {
  const { turnsByAttempts } = counters;
  const turns = total(turnsByAttempts);
  const retries = turns === 0 ? 0 : weightedTotal(turnsByAttempts) / turns - 1;
  const ofConnecting = connecting * connectedShare(counters);
  if (delays === 'connect') return connecting;
  return 1 + (delays === 'turn' || delays === 'due' ? 2 * retries : 0) + ofConnecting;
}

/** Returns the share of attempts that opened a connection. */
const connectedShare = ({ exchanges }: Counters): number => exchanges.connected / Math.max(1, exchanges.attempts);

/** A turn of n attempts has n reads, and the timers of n - 1 backoffs. */
function readsOfAttempts(quantile: number, { turnsByAttempts }: Counters): number {
  const turns = total(turnsByAttempts);
  let below = 0;
  for (const [attempts, count] of Object.entries(turnsByAttempts)) {
    below += count;
    if (below >= quantile * turns) return 2 * Number(attempts) - 1;
  }
  return 1;
}

/** Shares of values in one range: a hundredth, and less towards the tail. */
const [largestShare, tailParts] = [0.01, 12];

/** Groups the buckets of a histogram into ranges, in milliseconds. */
function binsOf({ indexes, counts, total }: SparseHistogram): Binned {
  const [from, to, weights]: [number[], number[], number[]] = [[], [], []];
  let [below, inRange, start] = [0, 0, 0];
  indexes.forEach((index, at) => {
    if (inRange === 0) start = index;
    inRange += counts[at] ?? 0;
    const next = indexes[at + 1];
    const allowed = Math.min(largestShare, (1 - below / total) / tailParts) * total;
    if (next !== undefined && inRange + (counts[at + 1] ?? 0) <= allowed) return;
    from.push(lowestOf(start) / 1000);
    to.push(lowestOf(index + 1) / 1000);
    weights.push(inRange / total);
    below += inRange;
    inRange = 0;
  });
  return { from: Float64Array.from(from), to: Float64Array.from(to), weights: Float64Array.from(weights) };
}
