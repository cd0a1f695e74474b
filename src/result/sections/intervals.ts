import { z } from 'zod';
import { groupBy } from '../../base/group-by.ts';
import { startOf } from '../../record/interval-width.ts';
import { failedTurns, sumCounters, total, type Counters } from '../../record/counters.ts';
import type { IntervalLevels } from '../../record/gauges.ts';
import type { IntervalTally, Snapshot } from '../../record/snapshot.ts';
import { partsOf, publishedSeries, seriesParts } from '../../record/series.ts';
import { mergeSeries, type StoredSeries } from '../../record/stored-series.ts';
import { mergeTallies, type Tally } from '../../record/tally.ts';
import { attemptClassNames, turnClassNames } from '../../protocol/outcome.ts';
import { buildLevels, levelsSchema } from './rates.ts';
import { count, durationMs, sparseCountsBy, text, flag } from '../../base/field.ts';
import { generatorIntervalSchema, sampleIntervals, type GeneratorSample } from './generator-health.ts';
import { spendingOf } from './cost.ts';
import { integrityFailures } from './integrity.ts';

const storedLatencySchema = z.object({
  count: count('Number of values'),
  sumMs: durationMs('Exact sum of the values'),
  minMs: durationMs('Exact minimum'),
  maxMs: durationMs('Exact maximum'),
  hdr: text('HDR V2, compressed, base64; whole microseconds'),
});

const attemptsSchema = z.object({
  total: count('Attempts that ended'),
  byClass: sparseCountsBy(attemptClassNames, 'Attempts by class'),
});

/** Counts of model calls that comparisons and charts read. */
export const intervalModelNames = [
  'calls',
  'attributed',
  'turns',
  'turnCalls',
  'neededCalls',
  'repeats',
  'duplicates',
  'orphaned',
  'afterReply',
  'checked',
  'delivered',
] as const;
export type IntervalModelName = (typeof intervalModelNames)[number];

export const intervalSchema = z.object({
  startMs: durationMs('Start of the interval, since the start of the run'),
  lengthMs: durationMs('Length; the last interval, and intervals at the end of the warm-up, may be shorter'),
  warmUp: flag(
    'True if the interval counts sessions and turns that began in the warm-up, which published figures exclude',
  ),
  turns: z
    .object({
      sent: count('Turns sent for the first time'),
      ok: count('Turns that ended ok'),
      failed: count('Turns that finally failed'),
      good: count('Ok turns within the latency objective'),
      byClass: sparseCountsBy(turnClassNames, 'Turns by class'),
    })
    .describe('Turns, by their end'),
  attempts: attemptsSchema.extend({ retries: count('Retries sent') }).describe('Attempts of turns, by their end'),
  createAttempts: attemptsSchema.describe('Attempts to create a session, by their end'),
  sessions: z
    .object({
      started: count('Sessions started'),
      created: count('Sessions created'),
      createFailed: count('Sessions whose creation finally failed'),
      ended: count('Sessions that ended in any way'),
    })
    .describe('Sessions, by the time of the event'),
  integrity: z
    .object({
      replies: count('Replies that the integrity guard checked'),
      failed: count('Replies that failed a check'),
    })
    .describe('Replies and the integrity guard, by arrival'),
  usage: z
    .object({
      inputTokens: count('Input tokens'),
      outputTokens: count('Output tokens'),
      cachedTokens: count('Input tokens read from a cache'),
      cacheableTokens: count('Input tokens of the replies that report cached tokens'),
      costNanos: count('Known cost of the attempts, in billionths of the currency'),
      unknownCosts: count('Attempts with unknown cost'),
    })
    .optional()
    .describe('Reported token usage and cost of the attempts of turns, by their end; absent if there is none'),
  model: sparseCountsBy(intervalModelNames, 'Model calls, and ok turns and attempts with their calls')
    .optional()
    .describe('Counts of model calls; absent if there are none'),
  concurrency: levelsSchema
    .nullable()
    .describe('Concurrency over the interval; null for turns of the warm-up that ended after it'),
  latency: z
    .partialRecord(z.enum(seriesParts), storedLatencySchema)
    .describe('Series of durations that ended in the interval; series without values are absent'),
  generator: generatorIntervalSchema
    .nullable()
    .describe('Load on the generator in the interval, for one process; null if not measured'),
});
export type Interval = z.infer<typeof intervalSchema>;

/** Builds all intervals of a run, sorted by start, over all retry policies; each of `samples` is at most one interval long. */
export function buildIntervals(
  snapshot: Snapshot,
  samples: readonly GeneratorSample[] = [],
  plan?: { cost: object | null },
): Interval[] {
  const { levels, intervals } = snapshot;
  const keyOf = ({ startMs, warmUp }: IntervalLevels | IntervalTally) => `${String(startMs)} ${String(warmUp)}`;
  const tallies = groupBy(intervals, keyOf);
  const levelsAt = new Map(levels.map((each) => [keyOf(each), each]));
  const sampled = sampleIntervals(samples, snapshot.intervalMs);
  const keys = new Map([...levels, ...intervals].map((each) => [keyOf(each), each]));
  return [...keys]
    .toSorted(([, a], [, b]) => a.startMs - b.startMs || Number(b.warmUp) - Number(a.warmUp))
    .map(([key, { startMs, warmUp }]) => {
      const at = levelsAt.get(key);
      return {
        ...spanOf(snapshot, { startMs, warmUp, levels: at }),
        warmUp,
        ...contentOf(mergeTallies(tallies.get(key) ?? []), plan),
        concurrency: at === undefined ? null : buildLevels([at]),
        generator: at === undefined ? null : generatorOf(sampled.get(startOf(startMs, snapshot.intervalMs))),
      };
    });
}

/** Returns the span of an interval. If the warm-up ends within it, its measured part starts at that instant. */
function spanOf(
  { warmUpMs, intervalMs, elapsedMs }: Snapshot,
  { startMs, warmUp, levels }: { startMs: number; warmUp: boolean; levels: IntervalLevels | undefined },
): Pick<Interval, 'startMs' | 'lengthMs'> {
  if (levels === undefined) return { startMs, lengthMs: Math.max(0, Math.min(intervalMs, elapsedMs - startMs)) };
  return { startMs: warmUp ? startMs : Math.max(startMs, warmUpMs), lengthMs: levels.lengthUs / 1000 };
}

function generatorOf(sample: GeneratorSample | undefined): Interval['generator'] {
  if (sample === undefined) return null;
  const { rssBytes, heapBytes, eventLoopDelayP99Ms, cpuShare } = sample;
  return { rssBytes, heapBytes, eventLoopDelayP99Ms, cpuShare };
}

function contentOf(tally: Tally, plan: { cost: object | null } | undefined) {
  const sums = sumCounters([tally.counters]);
  const { turns, turnFlow, sessions, exchanges, retries, integrity } = sums;
  const { attempts = {}, createAttempts = {}, turns: byClass = {} } = tally.counters;
  return {
    turns: { sent: turnFlow.sent, ok: turns.ok, failed: failedTurns(turns), good: turnFlow.good, byClass },
    attempts: { total: exchanges.attempts, byClass: attempts, retries: total(retries) },
    createAttempts: { total: exchanges.createAttempts, byClass: createAttempts },
    sessions: {
      started: sessions.started,
      created: sessions.created,
      createFailed: sessions.create_failed,
      ended: sessions.completed + sessions.failed + sessions.cut + sessions.create_failed + sessions.create_cut,
    },
    integrity: { replies: integrity.replies, failed: integrityFailures(integrity) },
    ...usageOf(sums, plan),
    ...modelOf(sums),
    latency: latencyOf(tally),
  };
}

function usageOf(sums: Counters, plan: { cost: object | null } | undefined): Pick<Interval, 'usage'> {
  const { tokens } = sums;
  const { costNanos, unknown } = spendingOf(sums, plan);
  const usage = {
    inputTokens: tokens['input.tokens'],
    outputTokens: tokens['output.tokens'],
    cachedTokens: tokens['cachedInput.tokens'],
    cacheableTokens: tokens.cacheable,
    costNanos,
    unknownCosts: unknown,
  };
  return Object.values(usage).some((count) => count > 0) ? { usage } : {};
}

function modelOf({ modelCalls: calls, modelCallsPerTurn }: Counters): Pick<Interval, 'model'> {
  const counts: Record<IntervalModelName, number> = {
    calls: calls.calls,
    attributed: calls.calls - calls.unattributed,
    turns: total(modelCallsPerTurn),
    turnCalls: calls.okTurnCalls,
    neededCalls: calls.neededCalls,
    repeats: calls.repeats,
    duplicates: calls.duplicates,
    orphaned: calls.orphaned,
    afterReply: calls.afterReply,
    checked: calls.answersChecked,
    delivered: calls.answersDelivered,
  };
  const counted = Object.entries(counts).filter(([, count]) => count > 0);
  return counted.length === 0 ? {} : { model: Object.fromEntries(counted) };
}

function latencyOf({ series }: Tally): Interval['latency'] {
  const parts = publishedSeries.flatMap(partsOf).flatMap(({ part, recorded }) => {
    const stored = mergeSeries(recorded.map((name) => withoutShifts(series[name])));
    if (stored === undefined) return [];
    const { count, sumUs, minUs, maxUs, hdr } = stored;
    return [[part, { count, sumMs: sumUs / 1000, minMs: minUs / 1000, maxMs: maxUs / 1000, hdr }] as const];
  });
  return Object.fromEntries(parts);
}

/** Intervals do not contain what values waited, which takes longer to merge than the values. */
function withoutShifts(series: StoredSeries | undefined): StoredSeries | undefined {
  return series?.shifts === undefined ? series : { ...series, shifts: undefined };
}
