import { z } from 'zod';
import { amountOrNull, durationMs, share, shareOf } from '../../base/field.ts';
import type { Counters } from '../../record/counters.ts';
import { rankOf } from '../../statistics/rank-of.ts';

const partsSchema = z.object({
  attempts: z.number().min(0).describe('Attempts with a model call (count; the slowest may include a fraction of one)'),
  modelMs: durationMs('Mean time with an open model call'),
  retryWaitMs: durationMs('Mean wait for the repeat of a failed model call'),
  agentMs: durationMs('Mean of the remaining time'),
});
export type ModelParts = z.infer<typeof partsSchema>;

export const attemptPartsSchema = z.object({
  all: partsSchema.nullable().describe('Of all attempts with a model call; null without any'),
  slowest: partsSchema.nullable().describe('Of the slowest 5 % of them; null below 20 attempts'),
});

const slowestShare = 0.05;

/** Builds the mean parts of the attempts with calls: of all, and of the slowest 5 %. */
export function buildParts(modelParts: Counters['modelParts']): z.infer<typeof attemptPartsSchema> {
  const buckets = [...bucketsOf(modelParts)].toSorted(([one], [other]) => other - one).map(([, sums]) => sums);
  const attempts = buckets.reduce((sum, bucket) => sum + bucket.attempts, 0);
  return {
    all: meansOf(buckets, attempts),
    slowest: attempts * slowestShare < 1 ? null : meansOf(buckets, attempts * slowestShare),
  };
}

/** Attempts of a bucket of durations, and the sums of their parts in microseconds. */
interface Bucket {
  attempts: number;
  model: number;
  retryWait: number;
  agent: number;
}

function bucketsOf(modelParts: Counters['modelParts']): Map<number, Bucket> {
  const buckets = new Map<number, Bucket>();
  for (const [key, value] of Object.entries(modelParts)) {
    const [bucket = '', name = ''] = key.split('.');
    const sums = buckets.get(Number(bucket)) ?? { attempts: 0, model: 0, retryWait: 0, agent: 0 };
    buckets.set(Number(bucket), { ...sums, [name]: value });
  }
  return buckets;
}

/** Returns the means of the first `wanted` attempts of sorted buckets, with a fraction of the last bucket. */
function meansOf(buckets: readonly Bucket[], wanted: number): ModelParts | null {
  if (wanted === 0) return null;
  const sums = { model: 0, retryWait: 0, agent: 0 };
  let left = wanted;
  for (const bucket of buckets) {
    if (left <= 0 || bucket.attempts === 0) continue;
    const part = Math.min(1, left / bucket.attempts);
    left -= bucket.attempts * part;
    sums.model += bucket.model * part;
    sums.retryWait += bucket.retryWait * part;
    sums.agent += bucket.agent * part;
  }
  const meanMs = (sumUs: number): number => sumUs / wanted / 1000;
  return {
    attempts: wanted,
    modelMs: meanMs(sums.model),
    retryWaitMs: meanMs(sums.retryWait),
    agentMs: meanMs(sums.agent),
  };
}

/** Numbers, each with how often it occurred. */
export type NumberCounts = Readonly<Record<number, number>>;

const numbered = (counts: NumberCounts): [value: number, count: number][] =>
  Object.entries(counts)
    .map(([value, count]): [number, number] => [Number(value), count])
    .toSorted(([one], [other]) => one - other);

/** Returns the value at a percentile of counted numbers; `null` without any. */
export function valueAtPercent(counts: NumberCounts, percent: number): number | null {
  const values = numbered(counts);
  const rank = rankOf(percent, countIn(counts));
  let upTo = 0;
  for (const [value, count] of values) if ((upTo += count) >= rank) return value;
  return null;
}

export function countIn(counts: NumberCounts): number {
  return numbered(counts).reduce((sum, [, count]) => sum + count, 0);
}

export const callsPerTurnShape = {
  mean: amountOrNull('Mean (calls; null without ok turns)'),
  p50: amountOrNull('Median (calls; null without ok turns)'),
  p95: amountOrNull('95th percentile (calls; null without ok turns)'),
  max: amountOrNull('Maximum (calls; null without ok turns)'),
};

/** Summarizes counted numbers: mean, median, p95 and maximum. */
export function summarizeCounts(counts: NumberCounts) {
  const values = numbered(counts);
  const sum = values.reduce((all, [value, count]) => all + value * count, 0);
  return {
    mean: shareOf(sum, countIn(counts)),
    p50: valueAtPercent(counts, 50),
    p95: valueAtPercent(counts, 95),
    max: values.at(-1)?.[0] ?? null,
  };
}

export const parallelSchema = z.object({
  mean: amountOrNull('Mean of the maximum per attempt (calls; null without attempts with a call)'),
  max: amountOrNull('Maximum (calls; null without attempts with a call)'),
  shareAbove1: share('Attempts with more than one open call at once, among the attempts with a call'),
});

/** Summarizes the maximum number of open calls per attempt. */
export function buildParallel(counts: NumberCounts): z.infer<typeof parallelSchema> {
  const { mean, max } = summarizeCounts(counts);
  const above = numbered(counts).reduce((sum, [value, count]) => sum + (value > 1 ? count : 0), 0);
  return { mean, max, shareAbove1: shareOf(above, countIn(counts)) };
}
