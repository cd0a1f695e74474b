import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelStory, type Recorded } from '../../test/support/model-story.ts';
import { total, weightedTotal } from '../record/counters.ts';
import type { AttemptClass } from '../protocol/outcome.ts';
import type { CallOutcome, ModelApiName } from '../protocol/model-call.ts';

// Stories in whole microseconds, and a reference that compares every call with every other.

interface DrawnCall {
  arrivedUs: number;
  endedUs: number;
  outcome: CallOutcome;
  digest: string;
  api: ModelApiName;
  retryCount: number;
}

interface DrawnAttempt {
  sentUs: number;
  endedUs: number;
  outcome: AttemptClass;
  calls: DrawnCall[];
}

type DrawnTurn = DrawnAttempt[];

const classes = ['timed_out', 'abandoned', 'connection_lost', 'server_error', 'aborted'] as const;

const calls = fc
  .array(
    fc.record({
      /** Mostly within the attempt, which takes up to 400 milliseconds. */
      afterUs: fc.oneof(
        fc.integer({ min: -3, max: 400_000 }),
        fc.integer({ min: 0, max: 20 }).map((steps) => steps * 20_000),
        fc.integer({ min: 400_000, max: 9_000_000 }),
      ),
      tookUs: fc.oneof(
        fc.integer({ min: 0, max: 200_000 }),
        fc.integer({ min: 0, max: 5 }).map((steps) => steps * 20_000),
        fc.integer({ min: 0, max: 5_000_000 }),
      ),
      outcome: fc.constantFrom<CallOutcome>('ok', 'ok', 'injected', 'rate_limited', 'cancelled'),
      digest: fc.constantFrom('a', 'b', 'c'),
      api: fc.constantFrom<ModelApiName>('chat', 'messages'),
      retryCount: fc.constantFrom(0, 0, 0, 1),
    }),
    { maxLength: 7 },
  )
  .map((drawn) => drawn.toSorted((a, b) => a.afterUs - b.afterUs));

const turns = fc.array(
  fc.record({
    startUs: fc.integer({ min: 0, max: 3_000_000 }),
    attempts: fc.array(
      fc.record({
        tookUs: fc.oneof(
          fc.integer({ min: 1, max: 400_000 }),
          fc.integer({ min: 1, max: 20 }).map((n) => n * 20_000),
        ),
        pauseUs: fc.integer({ min: 0, max: 2_500_000 }),
        failure: fc.constantFrom(...classes),
        calls,
      }),
      { minLength: 1, maxLength: 3 },
    ),
    isOk: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

const drawnTurns = turns.map((drawn) =>
  drawn.map(({ startUs, attempts, isOk }): DrawnTurn => {
    let atUs = startUs;
    return attempts.map(({ tookUs, pauseUs, failure, calls: inside }, index) => {
      const sentUs = atUs;
      atUs += tookUs + pauseUs;
      const isLast = index === attempts.length - 1;
      return {
        sentUs,
        endedUs: sentUs + tookUs,
        outcome: isLast && isOk ? 'ok' : isLast || failure !== 'aborted' ? failure : 'server_error',
        calls: inside.map(({ afterUs, tookUs: length, ...call }) => ({
          ...call,
          arrivedUs: sentUs + afterUs,
          endedUs: sentUs + afterUs + length,
        })),
      };
    });
  }),
);

function tell(drawn: readonly DrawnTurn[]): ModelStory {
  const story = new ModelStory();
  drawn.forEach((attempts, index) => {
    const session = index + 1;
    const firstSentAt = (attempts[0]?.sentUs ?? 0) / 1000;
    attempts.forEach(({ sentUs, endedUs, outcome, calls: inside }, at) => {
      const parts = { session, attempt: at + 1, firstSentAt };
      const trace = story.attempt(sentUs / 1000, endedUs / 1000, outcome, parts);
      for (const { arrivedUs, endedUs: callEndedUs, ...call } of inside)
        story.call(trace, arrivedUs / 1000, callEndedUs / 1000, { ...call, fault: 'reset' });
    });
    const { endedUs = 0, outcome = 'ok' } = attempts.at(-1) ?? {};
    story.turn(firstSentAt, endedUs / 1000, outcome, { session, attempts: attempts.length });
  });
  story.call(undefined, 5, 50);
  return story;
}

/** A call of the reference: the earlier calls are those before it in the list. */
function relationOf(all: readonly DrawnCall[], call: DrawnCall): 'repeat' | 'duplicate' | 'first' {
  const earlier = all.slice(0, all.indexOf(call));
  const isLike = (other: DrawnCall) => other.digest === call.digest || (call.retryCount > 0 && other.api === call.api);
  if (earlier.some((other) => isLike(other) && other.outcome !== 'ok' && other.endedUs <= call.arrivedUs))
    return 'repeat';
  return earlier.some((other) => other.digest === call.digest) ? 'duplicate' : 'first';
}

/** Divides an attempt into the shortest segments between any two events, and asks each of them. */
function referenceParts({ sentUs, endedUs, calls: all }: DrawnAttempt) {
  const within = all.filter(({ arrivedUs }) => arrivedUs <= endedUs);
  if (within.length === 0) return undefined;
  const taken = new Set<DrawnCall>();
  const waits: [number, number][] = [];
  for (const call of within) {
    if (relationOf(all, call) !== 'repeat') continue;
    const failed = within.filter(
      (other) =>
        within.indexOf(other) < within.indexOf(call) &&
        other.outcome !== 'ok' &&
        other.endedUs <= call.arrivedUs &&
        !taken.has(other),
    );
    const pair =
      failed.find(({ digest }) => digest === call.digest) ??
      failed.find(({ api }) => call.retryCount > 0 && api === call.api);
    if (pair === undefined) continue;
    taken.add(pair);
    waits.push([pair.endedUs, call.arrivedUs]);
  }
  const events = within.flatMap(({ arrivedUs, endedUs: end }) => [arrivedUs, end]);
  const cuts = [...new Set([sentUs, endedUs, ...events])].filter((at) => at >= sentUs && at <= endedUs);
  cuts.sort((a, b) => a - b);
  const sums = { model: 0, retryWait: 0, agent: 0 };
  let parallel = 1;
  cuts.slice(1).forEach((to, index) => {
    const from = cuts[index] ?? 0;
    const covers = (start: number, end: number) => start <= from && end >= to;
    const open = within.filter((call) => covers(call.arrivedUs, call.endedUs)).length;
    parallel = Math.max(parallel, open);
    const part = open > 0 ? 'model' : waits.some(([start, end]) => covers(start, end)) ? 'retryWait' : 'agent';
    sums[part] += to - from;
  });
  const beforeFirst = Math.max(0, Math.min(...within.map(({ arrivedUs }) => arrivedUs)) - sentUs);
  const lastUs = Math.max(...within.map((call) => call.endedUs));
  return {
    ...sums,
    parallel,
    beforeFirst,
    afterLast: lastUs <= endedUs ? endedUs - Math.max(lastUs, sentUs) : undefined,
  };
}

const graceUs = 250_000;

function reference(drawn: readonly DrawnTurn[], endUs: number) {
  const sums = { calls: 1, repeats: 0, duplicates: 0, orphaned: 0, orphanedUs: 0, afterReply: 0, afterReplyUs: 0 };
  const counted = { ...sums, closedLate: 0, okTurnCalls: 0, neededCalls: 0 };
  const times = { model: 0, retryWait: 0, agent: 0, beforeFirst: 0, afterLast: 0, cancel: 0 };
  const attempts = { withCalls: 0, noCall: 0, endedAfterCalls: 0 };
  const parallel: Record<number, number> = {};
  const perTurn: Record<number, number> = {};
  for (const turn of drawn) {
    const last = turn.at(-1);
    if (last === undefined) continue;
    const countedUs = Math.min(Math.ceil((last.endedUs + 1e6) / 1e6) * 1e6, endUs);
    const early = ({ arrivedUs }: DrawnCall) => arrivedUs < countedUs;
    if (last.outcome === 'ok') {
      const inTurn = turn.flatMap((attempt) => attempt.calls).filter(early).length;
      perTurn[inTurn] = (perTurn[inTurn] ?? 0) + 1;
      counted.okTurnCalls += inTurn;
      counted.neededCalls += last.calls.filter(
        (call) => early(call) && relationOf(last.calls, call) !== 'repeat',
      ).length;
    }
    for (const attempt of turn) {
      const parts = attempt.outcome === 'aborted' ? undefined : referenceParts(attempt);
      if (attempt.outcome !== 'aborted') attempts[parts === undefined ? 'noCall' : 'withCalls']++;
      if (parts !== undefined) {
        for (const name of ['model', 'retryWait', 'agent', 'beforeFirst'] as const) times[name] += parts[name];
        times.afterLast += parts.afterLast ?? 0;
        if (parts.afterLast !== undefined) attempts.endedAfterCalls++;
        parallel[parts.parallel] = (parallel[parts.parallel] ?? 0) + 1;
      }
      for (const call of attempt.calls) {
        counted.calls++;
        const relation = relationOf(attempt.calls, call);
        if (relation !== 'first') counted[relation === 'repeat' ? 'repeats' : 'duplicates']++;
        const isBroken = ['timed_out', 'abandoned', 'connection_lost'].includes(attempt.outcome);
        const wasOpen = call.arrivedUs <= attempt.endedUs;
        const lateUs = call.endedUs - attempt.endedUs;
        if (isBroken && wasOpen && lateUs > 0 && call.outcome === 'cancelled') {
          counted.closedLate++;
          times.cancel += lateUs;
        }
        if (wasOpen && lateUs <= graceUs) continue;
        const workUs = wasOpen ? lateUs : call.endedUs - call.arrivedUs;
        if (isBroken) {
          counted.orphaned++;
          counted.orphanedUs += workUs;
        } else if (attempt.outcome === 'ok') {
          counted.afterReply++;
          counted.afterReplyUs += workUs;
        }
      }
    }
  }
  return { counted, times, attempts, parallel, perTurn };
}

function checkEqualities({ counters, series }: Recorded): void {
  const { modelCalls, modelOutcomes, modelApis, modelAttempts, modelPositions } = counters;
  const { calls: all, traced, matched, created, unattributed, okTurnCalls } = modelCalls;
  expect(all).toBe(traced + matched + created + unattributed);
  expect(all).toBe(total(modelOutcomes));
  expect(all).toBe(total(modelApis));
  const partCounts = Object.entries(counters.modelParts).filter(([name]) => name.endsWith('.attempts'));
  expect(modelAttempts.withCalls).toBe(total(counters.modelParallel));
  expect(modelAttempts.withCalls).toBe(total(Object.fromEntries(partCounts)));
  for (const name of ['model.time', 'model.retryWait', 'model.agentTime'] as const)
    expect(series(name).count).toBe(modelAttempts.withCalls);
  const positionSum = (field: string) =>
    total(Object.fromEntries(Object.entries(modelPositions).filter(([name]) => name.endsWith(`.${field}`))));
  expect(total(counters.modelCallsPerTurn)).toBe(positionSum('turns'));
  expect(total(counters.modelTurns)).toBe(positionSum('turns'));
  expect(weightedTotal(counters.modelCallsPerTurn)).toBe(okTurnCalls);
  expect(positionSum('calls')).toBe(okTurnCalls);
  const injected = Object.entries(counters.modelFaults).filter(([name]) => name.endsWith('.calls'));
  expect(total(Object.fromEntries(injected))).toBe(modelOutcomes.injected);
}

describe('random stories', () => {
  test('have the counts and times of a quadratic reference, to the microsecond', () => {
    fc.assert(
      fc.property(drawnTurns, (drawn) => {
        const story = tell(drawn);
        const endUs = 20_000_000;
        const recorded = story.play({}, endUs / 1000);
        const { counters, series } = recorded;
        const { counted, times, attempts, parallel, perTurn } = reference(drawn, endUs);
        const us = (name: Parameters<typeof series>[0]): number => Math.round(series(name).ms * 1000);
        expect(counters.modelCalls).toMatchObject(counted);
        expect({
          model: us('model.time'),
          retryWait: us('model.retryWait'),
          agent: us('model.agentTime'),
          beforeFirst: us('model.beforeFirstCall'),
          afterLast: us('model.afterLastCall'),
          cancel: us('model.cancelDelay'),
        }).toEqual(times);
        expect(counters.modelAttempts).toMatchObject(attempts);
        expect(counters.modelParallel).toEqual(parallel);
        expect(counters.modelCallsPerTurn).toEqual(perTurn);
        checkEqualities(recorded);
      }),
      { numRuns: 400 },
    );
  });

  test('have parts that sum to the attempt within a microsecond, at any fraction of one', () => {
    const times = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(times, fc.double({ min: 0, max: 1e6, noNaN: true }), (drawn, offset) => {
        const [sentAt = 0, a = 0, b = 0, c = 0, d = 0, endedAt = 0] = drawn
          .toSorted((x, y) => x - y)
          .map((at) => at + offset);
        const story = new ModelStory();
        const trace = story.single(sentAt, endedAt);
        story.call(trace, a, b, { outcome: 'rate_limited', digest: 'x' });
        story.call(trace, c, d, { digest: 'x' });
        const { series } = story.play();
        const sum = series('model.time').ms + series('model.retryWait').ms + series('model.agentTime').ms;
        expect(Math.abs(sum - (endedAt - sentAt))).toBeLessThanOrEqual(0.001 + 1e-9);
        expect(series('model.time').count).toBe(1);
      }),
      { numRuns: 30 },
    );
  });
});
