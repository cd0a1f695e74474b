import { ms } from '../../src/base/time.ts';
import type { ModelPlan, Plan } from '../../src/plan/plan.ts';
import type { StoredCounters } from '../../src/record/counters.ts';
import { HistogramPool } from '../../src/record/dense-histogram.ts';
import { durationBucket } from '../../src/record/model-counters.ts';
import type { SeriesName } from '../../src/record/series.ts';
import type { SlowTurn } from '../../src/record/slow-turns.ts';
import { modelWorker, type PartitionTally, type Snapshot } from '../../src/record/snapshot.ts';
import { LiveSeries, type StoredSeries } from '../../src/record/stored-series.ts';

const modelPlan: ModelPlan = {
  host: '127.0.0.1',
  port: 9009,
  tokenizer: 'words',
  delivered: true,
  match: null,
  header: null,
  forward: null,
  orphanGraceMs: ms(250),
};

const [short, long] = [durationBucket(100_000), durationBucket(1_000_000)];

/**
 * Counters of 150 model calls. 60 ok turns: 40 first turns with 86 calls, 20 second turns with 48. 64 attempts have
 * calls: 60 of 100 ms (70 ms of the model, 30 ms of the agent), and 4 of 1 s (500 ms, 200 ms of waiting, 300 ms).
 */
export const modelCounters = {
  modelCalls: {
    calls: 150,
    traced: 140,
    matched: 2,
    created: 3,
    unattributed: 5,
    otherRequests: 7,
    connections: 6,
    repeats: 8,
    duplicates: 2,
    orphaned: 4,
    orphanedTokens: 120,
    orphanedUs: 3_000_000,
    afterReply: 3,
    afterReplyTokens: 60,
    afterReplyUs: 1_500_000,
    okTurnCalls: 134,
    neededCalls: 120,
    answersChecked: 50,
    answersDelivered: 48,
    streamed: 30,
    closedLate: 2,
    timed: 140,
  },
  modelOutcomes: { ok: 130, injected: 10, rate_limited: 4, rejected: 1, cancelled: 4, open_at_end: 1 },
  modelApis: { chat: 120, messages: 20, embeddings: 10 },
  modelAttempts: { withCalls: 64, noCall: 6, endedAfterCalls: 60, relayed: 30 },
  modelTokens: {
    input: 8000,
    output: 3000,
    cachedInput: 2000,
    cacheable: 8000,
    reasoning: 200,
    reported: 145,
    'shared.sameTurn': 6000,
    'shared.earlierTurn': 3000,
    'shared.otherSession': 1500,
    inputBytes: 15_000,
  },
  modelPositions: {
    '1.turns': 40,
    '1.calls': 86,
    '1.inputTokens': 3200,
    '1.outputTokens': 1600,
    '1.cachedTokens': 400,
    '2.turns': 20,
    '2.calls': 48,
    '2.inputTokens': 3200,
    '2.outputTokens': 1000,
    '2.cachedTokens': 1600,
  },
  modelCallsPerTurn: { 2: 50, 3: 6, 4: 4 },
  modelParallel: { 1: 40, 2: 20, 3: 4 },
  modelParts: {
    [`${String(short)}.attempts`]: 60,
    [`${String(short)}.model`]: 4_200_000,
    [`${String(short)}.agent`]: 1_800_000,
    [`${String(long)}.attempts`]: 4,
    [`${String(long)}.model`]: 2_000_000,
    [`${String(long)}.retryWait`]: 800_000,
    [`${String(long)}.agent`]: 1_200_000,
  },
  /** Ten hit turns of 1 s and twenty others of 100 ms at one position; nine of another kind are too few. */
  modelFaults: {
    'http_500.calls': 9,
    'http_500.turns': 13,
    'http_500.okAtOnce': 10,
    'http_500.okAfterRetry': 1,
    'http_500.failed.internal_error': 1,
    'http_500.abandoned': 1,
    'several.calls': 0,
    'unattributed.calls': 1,
  },
  modelTurns: {
    [`none|0|2|${String(short)}`]: 20,
    [`http_500|0|2|${String(long)}`]: 10,
    [`http_500|1|3|${String(long)}`]: 1,
  },
} satisfies Partial<Record<keyof StoredCounters, Record<string, number>>>;

/** Number of values and durations of each series of those counters, in milliseconds. */
const durations: Partial<Record<SeriesName, readonly (readonly [values: number, ms: number])[]>> = {
  'model.time': [
    [60, 70],
    [4, 500],
  ],
  'model.retryWait': [
    [60, 0],
    [4, 200],
  ],
  'model.agentTime': [
    [60, 30],
    [4, 300],
  ],
  'model.beforeFirstCall': [[64, 10]],
  'model.afterLastCall': [[60, 5]],
  'model.relay': [[30, 2]],
  'model.call': [[149, 35]],
  'model.firstToken': [[30, 20]],
  'model.cancelDelay': [[2, 700]],
  'model.lateness': [[140, 0.4]],
};

function storedOf(values: readonly (readonly [values: number, ms: number])[]): StoredSeries {
  const series = new LiveSeries(new HistogramPool());
  for (const [count, duration] of values) for (let at = 0; at < count; at++) series.record(ms(duration));
  const stored = series.store();
  if (stored === undefined) throw new Error('a series without values');
  return stored;
}

/** A turn whose first attempt timed out, with a call that went on, and whose second one had two calls at once. */
export const slowTurns: readonly SlowTurn[] = [
  {
    session: 12,
    turn: 2,
    atMs: 3000,
    durationMs: 2400,
    outcome: 'ok',
    attempts: [
      { offsetMs: 0, durationMs: 1000, outcome: 'timed_out', calls: [slowCall({ offsetMs: 20, durationMs: 1400 })] },
      {
        offsetMs: 1400,
        durationMs: 1000,
        outcome: 'ok',
        calls: [
          slowCall({ offsetMs: 1410, durationMs: 90, outcome: 'injected' }),
          slowCall({ offsetMs: 1700, durationMs: 400, isRepeat: true }),
          slowCall({ offsetMs: 1710, durationMs: 300, api: 'embeddings' }),
        ],
      },
    ],
  },
];

type SlowCall = SlowTurn['attempts'][number]['calls'][number];

function slowCall(over: Partial<SlowCall>): SlowCall {
  return { offsetMs: 0, durationMs: 100, api: 'chat', model: 'model-a', outcome: 'ok', isRepeat: false, ...over };
}

interface ModelOverrides {
  /** Counters in place of those above, by group. */
  counters?: Partial<Record<keyof StoredCounters, Record<string, number>>>;
  plan?: Partial<ModelPlan>;
  slowTurns?: readonly SlowTurn[];
  /** Values in place of those above, by series. */
  values?: typeof durations;
}

/** Adds the model calls above to the first interval of each phase of a finished run, as its model process reports them. */
export function withModel(
  { plan, snapshot }: { plan: Plan; snapshot: Snapshot },
  { counters = {}, plan: planned = {}, slowTurns: slowest = slowTurns, values = {} }: ModelOverrides = {},
): { plan: Plan; snapshot: Snapshot } {
  const added = { ...modelCounters, ...counters } as Record<string, Record<string, number>>;
  const series = Object.fromEntries(
    Object.entries({ ...durations, ...values }).map(([name, each]) => [name, storedOf(each)]),
  );
  const grown = <Tally extends PartitionTally>(tallies: readonly Tally[]): Tally[] => {
    const firsts = [true, false].map((warmUp) => tallies.findIndex((tally) => tally.warmUp === warmUp));
    return tallies.map((tally, index) =>
      firsts.includes(index)
        ? { ...tally, counters: { ...tally.counters, ...added }, series: { ...tally.series, ...series } }
        : tally,
    );
  };
  return {
    plan: { ...plan, model: { ...modelPlan, ...planned } },
    snapshot: {
      ...snapshot,
      workers: [...snapshot.workers, modelWorker].toSorted(),
      totals: grown(snapshot.totals),
      intervals: grown(snapshot.intervals),
      slowTurns: [...slowest],
    },
  };
}
