import { describe, expect, test } from 'vitest';
import { ModelStory, type Recorded } from '../../test/support/model-story.ts';
import { bucketMiddleUs } from '../record/model-counters.ts';
import { snapshotSchema } from '../record/snapshot.ts';
import { PieceMerger, type Snapshot } from '../record/snapshot.ts';
import { pricingOf } from '../plan/prices.ts';
import type { ModelPrice } from '../plan/prices.ts';

const usage = {
  inputTokens: 1000,
  outputTokens: 100,
  cachedInputTokens: 400,
  reasoningTokens: 10,
  cacheWriteTokens: 50,
};
const failed = { outcome: 'injected', fault: 'server_error', status: 500 } as const;
const slow = { outcome: 'injected', fault: 'slow' } as const;

describe('faults and turns', () => {
  test('have a row per kind, and one for turns with several kinds', () => {
    const story = new ModelStory();
    story.call(story.single(0, 500, 'ok', { session: 1 }), 100, 200, failed);
    const first = story.attempt(0, 500, 'server_error', { session: 2 });
    const second = story.attempt(600, 900, 'ok', { session: 2, attempt: 2, firstSentAt: 0 });
    story.turn(0, 900, 'ok', { session: 2, attempts: 2 });
    story.call(first, 100, 200, { ...failed, digest: 'x' });
    story.call(first, 250, 300, { ...failed, digest: 'x' });
    story.call(second, 700, 800);
    const both = story.single(0, 500, 'timed_out', { session: 3 });
    story.call(both, 100, 200, failed);
    story.call(both, 100, 200, slow);
    story.call(story.single(0, 500, 'abandoned', { session: 4 }), 100, 200, slow);
    story.call(story.single(0, 500, 'aborted', { session: 5 }), 100, 200, slow);
    story.call(undefined, 100, 200, slow);
    story.call(story.single(0, 500, 'ok', { session: 6 }), 4000, 4200, slow);
    expect(story.play().counters.modelFaults).toEqual({
      'server_error.calls': 3,
      'server_error.turns': 2,
      'server_error.okAtOnce': 1,
      'server_error.okAfterRetry': 1,
      'several.calls': 2,
      'several.turns': 1,
      'several.failed.timed_out': 1,
      'slow.calls': 3,
      'slow.turns': 1,
      'slow.abandoned': 1,
      'unattributed.calls': 1,
    });
  });

  test('are grouped by kind, position, needed calls and duration', () => {
    const story = new ModelStory();
    story.call(story.single(0, 300, 'ok', { session: 1 }), 100, 200);
    const hit = story.single(0, 600, 'ok', { session: 2, turn: 3 });
    story.call(hit, 100, 200, { ...failed, digest: 'x' });
    story.call(hit, 300, 400, { digest: 'x' });
    const groups = Object.keys(story.play().counters.modelTurns).map((key) => key.split('|'));
    expect(groups.map((parts) => parts.slice(0, 3))).toEqual([
      ['none', '0', '1'],
      ['server_error', '2', '1'],
    ]);
    groups.forEach(([, , , bucket], at) => {
      const ms = bucketMiddleUs(Number(bucket)) / 1000;
      expect(Math.abs(ms / (at === 0 ? 300 : 600) - 1)).toBeLessThan(0.02);
    });
  });
});

describe('tokens and costs', () => {
  const tokens = { input: 10, cachedInput: 1, cacheWrite: 12, output: 100 };
  const prices = pricesOf({ m: tokens });
  /** 550 · 10 + 400 · 1 + 50 · 12 + 100 · 100 millionths. */
  const nanos = 16_500_000;

  test('are sums over calls, by the position of their turn for ok turns', () => {
    const story = new ModelStory();
    const trace = story.single(0, 900, 'ok', { turn: 2 });
    story.call(trace, 100, 200, { usage });
    story.call(trace, 300, 400, { usage: { inputTokens: 7, outputTokens: undefined } });
    story.call(trace, 850, 5000, { usage });
    story.call(story.single(0, 500, 'server_error', { session: 2, turn: 2 }), 100, 200, { usage });
    const { counters } = story.play();
    expect(counters.modelTokens).toMatchObject({
      input: 3007,
      output: 300,
      cachedInput: 1200,
      cacheable: 3000,
      cacheWrite: 150,
      reasoning: 30,
      reported: 4,
    });
    expect(counters.modelPositions).toMatchObject({
      '2.turns': 1,
      '2.calls': 3,
      '2.inputTokens': 2007,
      '2.outputTokens': 200,
      '2.cachedTokens': 800,
    });
    expect(counters.modelSpending.costNanos).toBe(0);
  });

  test('of repeats, of broken attempts and of work after their end are apart', () => {
    const story = new ModelStory();
    const ok = story.single(0, 900, 'ok', { session: 1 });
    story.call(ok, 100, 200, { usage, digest: 'x', outcome: 'injected', fault: 'cut' });
    story.call(ok, 300, 400, { usage, digest: 'x' });
    story.call(ok, 950, 999, { usage });
    const left = story.single(0, 900, 'abandoned', { session: 2 });
    story.call(left, 100, 200, { usage });
    story.call(left, 1000, 9000, { usage });
    const { modelSpending } = story.play({ pricing: prices }).counters;
    expect(modelSpending).toEqual({
      costNanos: 5 * nanos,
      repeatedNanos: nanos,
      afterReplyNanos: nanos,
      orphanedNanos: nanos,
      wastedNanos: 2 * nanos,
      unknownCalls: 0,
    });
  });

  test.each([
    ['while its content was written', { firstContentAt: 400 }, 60, 6_000_000],
    ['before its first content', { firstContentAt: 950 }, 100, 16_400_000],
    ['of a call that is not streamed', {}, 100, 16_400_000],
    [
      'of a call without content',
      { firstContentAt: 1400, usage: { inputTokens: 1000, outputTokens: 0 } },
      0,
      10_000_000,
    ],
    ['of a call without usage', { firstContentAt: 400, usage: undefined }, 0, 0],
  ])('of work after an end %s are those of the output after it', (_, parts, late, nanos) => {
    const whole = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 400 };
    const story = new ModelStory();
    story.call(story.single(0, 800, 'ok', { session: 1 }), 100, 1400, { usage: whole, ...parts });
    story.call(story.single(0, 800, 'timed_out', { session: 2 }), 100, 1400, { usage: whole, ...parts });
    const { modelCalls, modelSpending } = story.play({ pricing: prices }).counters;
    expect(modelCalls).toMatchObject({ orphaned: 1, orphanedTokens: late, afterReply: 1, afterReplyTokens: late });
    expect(modelSpending).toMatchObject({ orphanedNanos: nanos, afterReplyNanos: nanos });
  });

  test('of a call that arrives after the end contain its input', () => {
    const story = new ModelStory();
    const left = story.single(0, 800, 'abandoned');
    story.call(left, 900, 1400, { usage: { inputTokens: 1000, outputTokens: 100 }, firstContentAt: 1000 });
    const { modelCalls, modelSpending } = story.play({ pricing: prices }).counters;
    expect([modelCalls.orphanedTokens, modelSpending.orphanedNanos]).toEqual([100, 20_000_000]);
  });

  test('are unknown without usage, except for refused calls, and for models without a price', () => {
    const story = new ModelStory();
    const trace = story.single(0, 900);
    story.call(trace, 100, 200, { outcome: 'cancelled', status: 0 });
    story.call(trace, 100, 200, { outcome: 'rate_limited', status: 429 });
    story.call(trace, 100, 200, failed);
    story.call(trace, 100, 200, { usage, model: 'key-secret' });
    story.call(trace, 100, 200, { usage: { inputTokens: 1000, outputTokens: undefined }, api: 'embeddings' });
    const redact = (text: string): string => text.replace('secret', '***');
    const { counters } = story.play({ pricing: prices, redact });
    expect(counters.modelSpending).toMatchObject({ unknownCalls: 2, costNanos: 10_000_000 });
    expect(counters.modelUnpriced).toEqual({ 'key-***': 1 });
  });

  test('of a model without a price are those of the requested one, and name the model', () => {
    const story = new ModelStory();
    const trace = story.single(0, 900);
    story.call(trace, 100, 200, { usage, answeredBy: 'm-secret' });
    story.call(trace, 200, 300, { usage });
    const redact = (text: string): string => text.replace('secret', '***');
    const { modelSpending, modelSubstituted } = story.play({ pricing: prices, redact }).counters;
    expect({ modelSubstituted, cost: modelSpending.costNanos }).toEqual({
      modelSubstituted: { 'm-***': 1 },
      cost: 2 * nanos,
    });
  });

  test('of more than twenty models without a price are listed together', () => {
    const story = new ModelStory();
    const trace = story.single(0, 900);
    for (let at = 0; at < 25; at++) story.call(trace, 100, 200, { usage, model: `model-${String(at)}` });
    const { modelUnpriced } = story.play({ pricing: prices }).counters;
    expect(Object.keys(modelUnpriced)).toHaveLength(21);
    expect(modelUnpriced['(others)']).toBe(5);
  });

  function pricesOf(models: Parameters<typeof pricingOf>[0]['models']): ReadonlyMap<string, ModelPrice> {
    const pricing = pricingOf({ models } as Parameters<typeof pricingOf>[0], '');
    return new Map(
      Object.keys(models).flatMap((name) => {
        const price = pricing.of(name);
        return price === undefined ? [] : [[name, price] as const];
      }),
    );
  }
});

test('the shared prefix of an input is that with the latest call that has it', () => {
  const story = new ModelStory();
  const one = story.single(0, 900, 'ok', { session: 1 });
  story.call(one, 100, 110, { blocks: ['system', 'one', 'two'] });
  story.call(one, 200, 210, { blocks: ['system', 'one', 'two', 'three'] });
  story.call(story.single(0, 900, 'ok', { session: 2 }), 300, 310, { blocks: ['system', 'other'] });
  story.call(story.single(1000, 1900, 'ok', { session: 1, turn: 2 }), 1100, 1110, {
    blocks: ['system', 'one', 'two', 'three', 'four', 'five'],
  });
  story.call(undefined, 1200, 1210, { blocks: ['new'] });
  story.call(undefined, 1300, 1310, { blocks: ['new'] });
  expect(story.play().counters.modelTokens).toMatchObject({
    'shared.sameTurn': 3 * 256,
    'shared.otherSession': 2 * 256,
    'shared.earlierTurn': 4 * 256,
    inputBytes: 17 * 256,
  });
});

describe('delivery', () => {
  const deliveryOf = ({ counters }: Recorded) => {
    const { answersChecked, answersDelivered, foreignWords } = counters.modelCalls;
    return [answersChecked, answersDelivered, foreignWords];
  };

  test('needs the word of the last call before the end of an ok turn', () => {
    const story = new ModelStory();
    const delivered = story.single(0, 900, 'ok', { session: 1, words: ['w2'] });
    story.call(delivered, 100, 200, { word: 'w1' });
    story.call(delivered, 300, 400, { word: 'w2' });
    story.call(delivered, 950, 999, { word: 'title' });
    story.call(story.single(0, 900, 'ok', { session: 2, words: ['w3'] }), 100, 200, { word: 'w4' });
    story.call(story.single(0, 900, 'ok', { session: 3 }), 100, 200);
    story.call(story.single(0, 900, 'server_error', { session: 4, words: ['w6'] }), 100, 200, { word: 'w6' });
    expect(deliveryOf(story.play())).toEqual([2, 1, 0]);
  });

  test('counts a turn whose reply contains a word of another session', () => {
    const story = new ModelStory();
    story.call(story.single(0, 900, 'ok', { session: 1, words: ['w1'] }), 100, 200, { word: 'w1' });
    story.call(story.single(0, 900, 'ok', { session: 2, words: ['w1', 'w2'] }), 100, 200, { word: 'w2' });
    story.single(1000, 1900, 'ok', { session: 1, turn: 2, words: ['w1', 'unknown'] });
    expect(deliveryOf(story.play())).toEqual([2, 2, 1]);
  });
});

describe('the slowest turns', () => {
  test('are kept with their attempts and calls, without secrets', () => {
    const story = new ModelStory();
    const first = story.attempt(100, 600, 'timed_out');
    const second = story.attempt(900, 1500, 'ok', { attempt: 2, firstSentAt: 100 });
    story.turn(100, 1500, 'ok', { attempts: 2 });
    story.call(first, 200, 9000, { model: 'key-secret' });
    story.call(second, 1000, 1100, { ...failed, digest: 'x', api: 'messages' });
    story.call(second, 1200, 1300, { digest: 'x', api: 'messages' });
    const { snapshot } = story.play({ redact: (text) => text.replace('secret', '***') });
    const call = { outcome: 'ok', api: 'messages', model: 'm', durationMs: 100, isRepeat: false };
    const open = { offsetMs: 100, durationMs: null, outcome: null, api: 'chat', model: 'key-***', isRepeat: false };
    expect(snapshot.slowTurns).toEqual([
      {
        session: 1,
        turn: 1,
        outcome: 'ok',
        atMs: 100,
        durationMs: 1400,
        attempts: [
          { offsetMs: 0, durationMs: 500, outcome: 'timed_out', traceId: first, calls: [open] },
          {
            offsetMs: 800,
            durationMs: 600,
            outcome: 'ok',
            traceId: second,
            calls: [
              { ...call, offsetMs: 900, outcome: 'injected' },
              { ...call, offsetMs: 1100, isRepeat: true },
            ],
          },
        ],
      },
    ]);
    expect(snapshotSchema.parse(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot);
  });

  test('are the slowest twenty of all, also merged from the pieces of the run', () => {
    const story = new ModelStory();
    for (let at = 0; at < 90; at++) {
      const tookMs = 100 + ((at * 37) % 90);
      story.call(story.single(at * 100, at * 100 + tookMs, 'ok', { session: at + 1 }), at * 100 + 1, at * 100 + 2);
    }
    const pieces: Snapshot[] = [];
    const { snapshot } = story.play({ onInterval: (piece) => pieces.push(piece) });
    expect(snapshot.slowTurns?.map(({ durationMs }) => durationMs)).toEqual(
      Array.from({ length: 20 }, (_, at) => 189 - at),
    );
    const merger = new PieceMerger();
    for (const piece of pieces) merger.add(snapshotSchema.parse(JSON.parse(JSON.stringify(piece))));
    expect(merger.whole()?.slowTurns).toEqual(snapshot.slowTurns);
    expect(merger.whole()?.totals).toEqual(snapshot.totals);
  });
});
