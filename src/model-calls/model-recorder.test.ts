import { describe, expect, test } from 'vitest';
import { ModelStory, type Recorded } from '../../test/support/model-story.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { ms } from '../base/time.ts';
import { snapshotSchema } from '../record/snapshot.ts';
import { makeTraceId } from './trace-id.ts';

const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 40 };
const failed = { outcome: 'injected', fault: 'server_error', status: 500 } as const;

const partsOf = ({ series }: Recorded) => ({
  model: series('model.time').ms,
  retryWait: series('model.retryWait').ms,
  agent: series('model.agentTime').ms,
});

describe('the parts of an attempt', () => {
  test('are model time and agent time for calls one after another', () => {
    const story = new ModelStory();
    const trace = story.single(100, 1100);
    story.call(trace, 200, 500);
    story.call(trace, 600, 1000);
    const recorded = story.play();
    expect(partsOf(recorded)).toEqual({ model: 700, retryWait: 0, agent: 300 });
    expect(recorded.series('model.beforeFirstCall')).toEqual({ count: 1, ms: 100 });
    expect(recorded.series('model.afterLastCall')).toEqual({ count: 1, ms: 100 });
    expect(recorded.counters.modelParallel).toEqual({ 1: 1 });
    expect(recorded.counters.modelCallsPerTurn).toEqual({ 2: 1 });
  });

  test('count parallel calls once, as their union', () => {
    const story = new ModelStory();
    const trace = story.single(0, 1000);
    story.call(trace, 100, 500);
    story.call(trace, 200, 700);
    story.call(trace, 300, 400);
    const recorded = story.play();
    expect(partsOf(recorded)).toEqual({ model: 600, retryWait: 0, agent: 400 });
    expect(recorded.counters.modelParallel).toEqual({ 3: 1 });
  });

  test('are clipped to the attempt, also for a call that arrives just before the send by the jitter of clocks', () => {
    const story = new ModelStory();
    const trace = story.single(100, 600, 'timed_out');
    story.call(trace, 99.99, 200);
    story.call(trace, 500, 5000);
    const recorded = story.play();
    expect(partsOf(recorded)).toEqual({ model: 200, retryWait: 0, agent: 300 });
    expect(recorded.series('model.beforeFirstCall')).toEqual({ count: 1, ms: 0 });
    expect(recorded.series('model.afterLastCall').count).toBe(0);
  });

  test('contain the wait from a failed call to its repeat, except time with another open call', () => {
    const story = new ModelStory();
    const trace = story.single(0, 1000);
    story.call(trace, 100, 200, { ...failed, digest: 'a' });
    story.call(trace, 250, 350, { digest: 'b' });
    story.call(trace, 600, 700, { digest: 'a' });
    const recorded = story.play();
    expect(partsOf(recorded)).toEqual({ model: 300, retryWait: 300, agent: 400 });
    expect(recorded.counters.modelCalls).toMatchObject({ calls: 3, traced: 3, repeats: 1, duplicates: 0 });
    expect(recorded.counters.modelCalls).toMatchObject({ okTurnCalls: 3, neededCalls: 2 });
  });

  test('contain the wait of a failed call once, although two calls repeat it', () => {
    const story = new ModelStory();
    const trace = story.single(0, 1000);
    story.call(trace, 100, 200, { ...failed, digest: 'a' });
    story.call(trace, 300, 400, { digest: 'a' });
    story.call(trace, 800, 900, { digest: 'a' });
    const recorded = story.play();
    expect(partsOf(recorded)).toEqual({ model: 300, retryWait: 100, agent: 600 });
    expect(recorded.counters.modelCalls).toMatchObject({ repeats: 2, neededCalls: 1 });
  });

  test('recognize a retry of a client library with a changed body', () => {
    const story = new ModelStory();
    const trace = story.single(0, 1000);
    story.call(trace, 100, 200, { outcome: 'rate_limited', status: 429, digest: 'a' });
    story.call(trace, 300, 400, { digest: 'b', retryCount: 1 });
    const recorded = story.play();
    expect(partsOf(recorded)).toEqual({ model: 200, retryWait: 100, agent: 700 });
    expect(recorded.counters.modelCalls.repeats).toBe(1);
  });

  test('are missing for an attempt that was cut and for one without a call', () => {
    const story = new ModelStory();
    story.call(story.single(0, 500, 'aborted', { session: 1 }), 100, 200);
    story.single(0, 500, 'aborted', { session: 2 });
    story.single(0, 500, 'ok', { session: 3 });
    const recorded = story.play();
    expect(recorded.counters.modelAttempts).toMatchObject({ withCalls: 0, noCall: 1 });
    expect(recorded.series('model.time').count).toBe(0);
    expect(recorded.counters.modelCalls).toMatchObject({ calls: 1, traced: 1 });
    expect(recorded.counters.modelCallsPerTurn).toEqual({ 0: 1 });
  });

  test('are those of each attempt of a turn, with the calls of a broken attempt clipped to it', () => {
    const story = new ModelStory();
    const first = story.attempt(0, 1000, 'timed_out');
    const second = story.attempt(1500, 2000, 'ok', { attempt: 2, firstSentAt: 0 });
    story.turn(0, 2000, 'ok', { attempts: 2 });
    story.call(first, 100, 1700, { digest: 'a' });
    story.call(second, 1600, 1900, { digest: 'a' });
    const recorded = story.play();
    expect(partsOf(recorded)).toEqual({ model: 900 + 300, retryWait: 0, agent: 100 + 200 });
    expect(recorded.counters.modelCalls).toMatchObject({ okTurnCalls: 2, neededCalls: 1, repeats: 0, duplicates: 0 });
    expect(recorded.counters.modelCalls).toMatchObject({ orphaned: 1, orphanedUs: 700_000 });
  });

  test('contain the relay from the content of the last call before the first token', () => {
    const story = new ModelStory();
    const trace = story.single(0, 1000, 'ok', { firstTokenAt: 620 });
    story.call(trace, 100, 300, { firstContentAt: 150 });
    story.call(trace, 400, 950, { firstContentAt: 600 });
    story.call(trace, 500, 900, { firstContentAt: 700 });
    const recorded = story.play();
    expect(recorded.series('model.relay')).toEqual({ count: 1, ms: 20 });
    expect(recorded.counters.modelAttempts.relayed).toBe(1);
    expect(recorded.series('model.firstToken')).toEqual({ count: 3, ms: 450 });
  });

  test('contain the relay of a call that goes on for seconds after its user has left', () => {
    const story = new ModelStory();
    const trace = story.single(0, 1000, 'abandoned', { firstTokenAt: 620 });
    story.call(trace, 100, 300, { firstContentAt: 150 });
    story.call(trace, 400, 6000, { firstContentAt: 600 });
    expect(story.play().series('model.relay')).toEqual({ count: 1, ms: 20 });
  });
});

describe('work after the end of an attempt', () => {
  test('is orphaned if the user has left, from the end on, for calls that arrive or go on longer than the grace', () => {
    const story = new ModelStory();
    const trace = story.single(0, 1000, 'abandoned');
    story.call(trace, 100, 1249, { usage });
    story.call(trace, 500, 1251, { usage });
    story.call(trace, 1100, 1200, { usage });
    story.call(trace, 9000, 9500, { usage });
    const { counters, series } = story.play();
    expect(counters.modelCalls).toMatchObject({ orphaned: 3, orphanedUs: 851_000, orphanedTokens: 60, afterReply: 0 });
    expect(series('model.cancelDelay').count).toBe(0);
  });

  test('is background work after an ok reply, and neither after a failure', () => {
    const story = new ModelStory();
    const ok = story.single(0, 1000, 'ok', { session: 1 });
    story.call(ok, 500, 900);
    story.call(ok, 1010, 3010, { usage });
    story.call(story.single(0, 1000, 'server_error', { session: 2 }), 1010, 3010, { usage });
    const { counters } = story.play();
    expect(counters.modelCalls).toMatchObject({
      afterReply: 1,
      afterReplyUs: 2_000_000,
      afterReplyTokens: 20,
      orphaned: 0,
    });
    expect(counters.modelCallsPerTurn).toEqual({ 2: 1 });
  });

  test('has a delay until the agent closes an open call, also within the grace', () => {
    const story = new ModelStory();
    const trace = story.single(0, 1000, 'timed_out');
    story.call(trace, 100, 1040, { outcome: 'cancelled', status: 0 });
    story.call(trace, 100, 1500, { outcome: 'cancelled', status: 0 });
    story.call(trace, 100, 990, { outcome: 'cancelled', status: 0 });
    const { counters, series } = story.play();
    expect(series('model.cancelDelay')).toEqual({ count: 2, ms: 540 });
    expect(counters.modelCalls).toMatchObject({ closedLate: 2, orphaned: 1, orphanedUs: 500_000 });
  });
});

describe('the attribution of calls', () => {
  const countsOf = ({ counters }: Recorded) => {
    const { calls, traced, matched, created, unattributed } = counters.modelCalls;
    return { calls, traced, matched, created, unattributed };
  };

  test('uses the trace id before the header, and the header if the trace is foreign', () => {
    const story = new ModelStory();
    const [one, two] = [story.single(0, 900, 'ok', { session: 1 }), story.single(0, 900, 'ok', { session: 2 })];
    const foreign = makeTraceId('12345678', { session: 1, turn: 1, attempt: 1 });
    story.call(one, 100, 200, { headerTraceId: two });
    story.call(foreign, 110, 200, { headerTraceId: two });
    story.call(foreign, 120, 200);
    story.call(undefined, 130, 200);
    const recorded = story.play();
    expect(countsOf(recorded)).toEqual({ calls: 4, traced: 2, matched: 0, created: 0, unattributed: 2 });
    expect(story.places).toEqual([
      { session: 1, turn: 1, call: 1 },
      { session: 2, turn: 1, call: 1 },
      undefined,
      undefined,
    ]);
    expect(recorded.counters.modelCallsPerTurn).toEqual({ 1: 2 });
  });

  test('knows a call from its trace id before the record of its attempt, and waits five seconds for that', () => {
    const story = new ModelStory();
    const late = story.single(0, 9000, 'ok', { session: 1, delay: 4000 });
    story.call(late, 10, 100);
    story.call(makeTraceId('0badcafe', { session: 7, turn: 3, attempt: 1 }), 20, 100, failed);
    const recorded = story.play();
    expect(story.places).toEqual([
      { session: 1, turn: 1, call: 1 },
      { session: 7, turn: 3, call: 1 },
    ]);
    expect(countsOf(recorded)).toEqual({ calls: 2, traced: 1, matched: 0, created: 0, unattributed: 1 });
    expect(recorded.series('model.time')).toEqual({ count: 1, ms: 90 });
    expect(recorded.counters.modelFaults).toEqual({ 'unattributed.calls': 1 });
  });

  test('counts the calls of a creation apart, in no turn', () => {
    const story = new ModelStory();
    const trace = story.attempt(0, 500, 'ok', { turn: 0 });
    story.call(trace, 100, 200, { ...failed, digest: 'a' });
    story.call(trace, 300, 400, { digest: 'a' });
    const recorded = story.play();
    expect(countsOf(recorded)).toEqual({ calls: 2, traced: 0, matched: 0, created: 2, unattributed: 0 });
    expect(recorded.counters.modelAttempts).toMatchObject({ withCalls: 0, noCall: 0 });
    expect(recorded.counters.modelCalls.repeats).toBe(0);
    expect(recorded.counters.modelFaults).toEqual({ 'server_error.calls': 1 });
  });

  test('matches by text only with one attempt in flight, whatever the white space', () => {
    const text = { match: 'text', orphanGrace: ms(250) } as const;
    const story = new ModelStory();
    story.single(0, 900, 'ok', { session: 1, text: 'Where is  my order?' });
    story.single(0, 900, 'ok', { session: 2, text: 'Twice' });
    story.single(0, 900, 'ok', { session: 3, text: 'twice' });
    story.single(2000, 2900, 'ok', { session: 4, text: 'Twice', delay: 50 });
    story.call(undefined, 100, 200, { userText: ' where is my\norder?' });
    story.call(undefined, 300, 400, { userText: 'Twice' });
    story.call(undefined, 2010, 2200, { userText: 'Twice' });
    story.call(undefined, 950, 1000, { userText: 'Where is my order?' });
    const recorded = story.play({ model: text });
    expect(countsOf(recorded)).toEqual({ calls: 4, traced: 0, matched: 2, created: 0, unattributed: 2 });
    expect(recorded.series('model.time')).toEqual({ count: 2, ms: 290 });
    expect(recorded.counters.modelCallsPerTurn).toEqual({ 0: 2, 1: 2 });
    expect(countsOf(story.play())).toEqual({ calls: 4, traced: 0, matched: 0, created: 0, unattributed: 4 });
  });

  test('by text feeds counts and tokens of a turn with a retry, and no times, repeats or orphans', () => {
    const story = new ModelStory();
    story.attempt(0, 1000, 'timed_out', { text: 'hello' });
    story.attempt(1500, 2500, 'ok', { text: 'hello', attempt: 2, firstSentAt: 0 });
    story.turn(0, 2500, 'ok', { attempts: 2 });
    story.call(undefined, 100, 200, { userText: 'hello', digest: 'a', ...failed });
    story.call(undefined, 500, 1900, { userText: 'hello', digest: 'a', usage });
    story.call(undefined, 1600, 1700, { userText: 'hello', digest: 'a', usage });
    const { counters, series } = story.play({ model: { match: 'text', orphanGrace: ms(250) } });
    expect(counters.modelCalls).toMatchObject({ matched: 3, repeats: 0, duplicates: 0, orphaned: 0, okTurnCalls: 3 });
    expect(counters.modelAttempts).toMatchObject({ withCalls: 0, noCall: 0 });
    expect(series('model.time').count).toBe(0);
    expect(counters.modelPositions).toMatchObject({ '1.calls': 3, '1.inputTokens': 200, '1.outputTokens': 40 });
    expect(counters.modelFaults).toEqual({
      'server_error.calls': 1,
      'server_error.turns': 1,
      'server_error.okAfterRetry': 1,
    });
  });

  test('puts calls into the warm-up by the first send of their turn, and unattributed ones by their arrival', () => {
    const story = new ModelStory();
    const early = story.single(900, 1900, 'ok', { session: 1 });
    story.call(early, 1100, 1200);
    story.call(undefined, 900, 1200);
    story.call(undefined, 1100, 1200);
    story.call(story.single(1000, 1900, 'ok', { session: 2 }), 1100, 1200);
    const { counters, snapshot } = story.play({ plan: planFor({ warmUp: '1s' }) });
    expect(counters.modelCalls).toMatchObject({ calls: 2, traced: 1, unattributed: 1 });
    const warmUp = snapshot.totals.find((tally) => tally.warmUp)?.counters;
    expect(warmUp?.modelCalls).toMatchObject({ traced: 1, unattributed: 1 });
    expect([warmUp?.modelCallsPerTurn, counters.modelCallsPerTurn]).toEqual([{ 1: 1 }, { 1: 1 }]);
    expect(snapshot.slowTurns?.map(({ session }) => session)).toEqual([2]);
  });
});

test('a snapshot of model calls is valid and consistent with its intervals', () => {
  const story = new ModelStory();
  for (let at = 0; at < 5000; at += 500) {
    const trace = story.single(at, at + 300, 'ok', { session: at + 1 });
    story.call(trace, at + 100, at + 200, { usage });
  }
  const { snapshot } = story.play();
  expect(snapshotSchema.parse(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot);
  expect(snapshot.totals[0]?.counters.modelCalls?.['calls']).toBe(10);
  expect(snapshot.intervals.map(({ counters }) => counters.modelCalls?.['calls'])).toEqual([2, 2, 2, 2, 2]);
});
