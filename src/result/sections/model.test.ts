import { describe, expect, test } from 'vitest';
import { modelCounters, slowTurns, withModel } from '../../../test/support/model-run.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { durationBucket } from '../../record/model-counters.ts';
import { metricNamed } from '../metrics/metrics.ts';
import type { Result } from '../result.ts';
import type { Model } from './model.ts';
import { buildParts } from './model-parts.ts';
import { buildPropagation } from './model-propagation.ts';

const run = finishedRun();
const priced = finishedRun({ prices: { 'model-a': { input: 1, output: 2 }, currency: 'EUR' } });
const spending = {
  costNanos: 4_000_000_000,
  orphanedNanos: 200_000_000,
  repeatedNanos: 300_000_000,
  afterReplyNanos: 100_000_000,
  wastedNanos: 1_000_000_000,
};

const modelOf = ({ model }: Result): Model => {
  if (model === null) throw new Error('the result has no model calls');
  return model;
};

describe('the section of model calls', () => {
  const result = resultOf(withModel(run));
  const model = modelOf(result);

  test('is null without a model service, and the series are absent', () => {
    const plain = resultOf(run);
    expect(plain.model).toBeNull();
    expect(Object.keys(plain.latency).filter((name) => name.startsWith('model.'))).toEqual([]);
    expect(plain.intervals.some((interval) => interval.model !== undefined)).toBe(false);
  });

  test('keeps the books balanced', () => {
    expect(result.books.broken).toEqual([]);
  });

  test('counts calls by attribution, and the attributed share without those of no attempt', () => {
    expect(model.calls).toEqual({ total: 150, traced: 140, matched: 2, created: 3, unattributed: 5 });
    expect(model.attributedShare).toBe(145 / 150);
    expect(model.byApi).toEqual({ chat: 120, responses: 0, messages: 20, embeddings: 10 });
    expect(model.byOutcome).toMatchObject({ ok: 130, injected: 10, upstream_failed: 0, open_at_end: 1 });
  });

  test('summarizes the calls of 60 ok turns: 50 with 2, 6 with 3, 4 with 4', () => {
    expect(model.callsPerTurn).toEqual({
      turns: 60,
      calls: 134,
      neededCalls: 120,
      mean: 134 / 60,
      p50: 2,
      p95: 4,
      max: 4,
    });
    expect(model.amplification).toBe(134 / 120);
  });

  test('reports calls and tokens per ok turn by position', () => {
    expect(model.positions.slice(0, 3)).toEqual([
      {
        position: '1',
        turns: 40,
        calls: 86,
        callsPerTurn: 2.15,
        inputPerTurn: 80,
        outputPerTurn: 40,
        cachedShare: 0.125,
      },
      {
        position: '2',
        turns: 20,
        calls: 48,
        callsPerTurn: 2.4,
        inputPerTurn: 160,
        outputPerTurn: 50,
        cachedShare: 0.5,
      },
      {
        position: '3-4',
        turns: 0,
        calls: 0,
        callsPerTurn: null,
        inputPerTurn: null,
        outputPerTurn: null,
        cachedShare: null,
      },
    ]);
  });

  test('averages the maxima of open calls: 40 attempts with 1, 20 with 2, 4 with 3', () => {
    expect(model.parallel).toEqual({ mean: 92 / 64, max: 3, shareAbove1: 24 / 64 });
  });

  test('has orphaned work, work after replies, delivery, cacheable input and connections', () => {
    expect(model.orphaned).toEqual({ calls: 4, ms: 3000, tokens: 120, cost: null });
    expect(model.afterReply).toEqual({ calls: 3, ms: 1500, tokens: 60, cost: null });
    expect(model.delivered).toEqual({ checked: 50, delivered: 48, share: 0.96, foreign: 0 });
    expect(model.cacheable).toEqual({ sameTurn: 0.4, earlierTurn: 0.2, otherSession: 0.1 });
    expect(model.tokens).toMatchObject({ input: 8000, output: 3000, cachedShare: 0.25, reportedCalls: 145 });
    expect(model.connections).toEqual({ opened: 6, per1000Calls: 40 });
    expect(model.slowTurns).toEqual(slowTurns);
  });

  test('has metrics that gates read', () => {
    const valueOf = (name: string) => metricNamed(name)?.read(result);
    expect(valueOf('model.callsPerTurn')).toEqual({ value: 134 / 60 });
    expect(valueOf('model.orphanedMs')).toEqual({ value: 3000 });
    expect(valueOf('model.cacheable')).toEqual({ value: expect.closeTo(0.7, 10) as number });
    expect(valueOf('model.connections')).toEqual({ value: 40 });
    expect(valueOf('model.agentTime.p50')).toMatchObject({ value: expect.closeTo(30, 0) as number });
    expect(metricNamed('model.calls')?.read(resultOf(run))).toMatchObject({ value: null });
  });
});

describe('figures by turn', () => {
  const readingOf = (name: string, modelCalls: Record<string, number>) =>
    metricNamed(name)?.read(resultOf(withModel(run, { counters: { modelCalls } })));

  test.each(['model.callsPerTurn', 'model.callsPerTurn.max', 'model.orphaned', 'model.position.1.callsPerTurn'])(
    '%s has no data if too many calls belong to no known turn',
    (name) => {
      expect(readingOf(name, { calls: 160, traced: 140, matched: 2, created: 3, unattributed: 15 })).toEqual({
        value: null,
        reason: '15 of 160 model calls belong to no known turn: let the agent forward traceparent',
      });
    },
  );

  test('have no data without a model call', () => {
    expect(readingOf('model.callsPerTurn', { calls: 0 })).toEqual({
      value: null,
      reason: 'no model call: is the agent configured with the address of the model service?',
    });
  });
});

describe('the parts of attempts', () => {
  const { all, slowest } = buildParts(modelCounters.modelParts);

  test('are means over all attempts with calls', () => {
    expect(all).toEqual({ attempts: 64, modelMs: 96.875, retryWaitMs: 12.5, agentMs: 46.875 });
  });

  test('of the slowest 5 % are those of the last bucket, if it has enough', () => {
    expect(slowest).toEqual({
      attempts: expect.closeTo(3.2, 10) as number,
      modelMs: expect.closeTo(500, 9) as number,
      retryWaitMs: expect.closeTo(200, 9) as number,
      agentMs: expect.closeTo(300, 9) as number,
    });
  });

  test('include a fraction of the bucket in which the slowest 5 % begin', () => {
    const sums = { '90.attempts': 59, '90.model': 59_000, '100.attempts': 1, '100.model': 7000 };
    // Three attempts: one of 7 ms, two of 1 ms.
    expect(buildParts(sums).slowest).toMatchObject({ attempts: 3, modelMs: 3 });
  });

  test('of the slowest need 20 attempts', () => {
    expect(buildParts({ '90.attempts': 19, '90.model': 19 }).slowest).toBeNull();
    expect(buildParts({})).toEqual({ all: null, slowest: null });
  });
});

describe('the propagation of a fault', () => {
  const at = (ms: number): string => String(durationBucket(ms * 1000));
  const rowsOf = (modelTurns: Record<string, number>, modelFaults: Record<string, number> = { 'slow.calls': 1 }) =>
    buildPropagation({ modelFaults, modelTurns });

  test('lists the ends of the turns that it hit, with several kinds and unattributed calls last', () => {
    const [first, second, ...others] = rowsOf(modelCounters.modelTurns, {
      ...modelCounters.modelFaults,
      'unattributed.calls': 90,
      'several.calls': 80,
      'slow.calls': 2,
      'http_500.failed.timed_out': 2,
    });
    expect(first).toMatchObject({ kind: 'http_500', calls: 9, turns: 13, okAtOnce: 10, okAfterRetry: 1, abandoned: 1 });
    expect(first?.failed).toEqual({ internal_error: 1, timed_out: 2 });
    expect([second, ...others].map((row) => row?.kind)).toEqual(['slow', 'several', 'unattributed']);
  });

  test('adds the difference of the medians, weighted by the turns of each position and number of calls', () => {
    const [row] = rowsOf({
      [`none|0|2|${at(100)}`]: 50,
      [`none|0|2|${at(5000)}`]: 20,
      [`slow|0|2|${at(300)}`]: 30,
      [`none|1|3|${at(200)}`]: 10,
      [`slow|1|3|${at(1000)}`]: 10,
    });
    // (30 · 200 ms + 10 · 800 ms) / 40, within the width of a bucket.
    expect(row?.comparedTurns).toBe(40);
    expect(row?.addedMs).toBeGreaterThan(350 * 0.96);
    expect(row?.addedMs).toBeLessThan(350 * 1.04);
  });

  test.each([
    [9, 50],
    [50, 9],
  ])('adds nothing known if %i turns were hit and %i were not', (hit, unhit) => {
    const [row] = rowsOf({ [`none|0|2|${at(100)}`]: unhit, [`slow|0|2|${at(300)}`]: hit });
    expect(row).toMatchObject({ addedMs: null, comparedTurns: 0 });
  });
});

describe('costs with a model service', () => {
  const { cost, spending: spent, model } = resultOf(withModel(priced, { counters: { modelSpending: spending } }));

  test('are those of the model calls alone', () => {
    expect(cost).toMatchObject({ source: 'model', currency: 'EUR', total: 4, wasted: 1, wastedShare: 0.25 });
    expect(cost).toMatchObject({ orphaned: 0.2, repeated: 0.3, afterReply: 0.1 });
    expect(spent.cost).toBe(4);
    expect(model).toMatchObject({ orphaned: { cost: 0.2 }, afterReply: { cost: 0.1 } });
  });

  test('are lower bounds above 1 % of calls of unknown cost', () => {
    const unknown = { ...spending, unknownCalls: 2 };
    const result = resultOf(
      withModel(priced, {
        counters: { modelSpending: unknown, modelUnpriced: { 'model-b': 2 }, modelSubstituted: { 'model-c': 3 } },
      }),
    );
    expect(result.cost).toMatchObject({ isAtLeast: true, unknownAttempts: { total: 2 }, unknownShare: 2 / 150 });
    expect(result.warnings.find(({ code }) => code === 'unknown_models')?.message).toContain('model-b (2 model calls)');
    expect(result.cost?.substitutedPrices).toEqual([{ name: 'model-c', replies: 3 }]);
    expect(metricNamed('cost.orphaned')?.read(result)).toMatchObject({ value: null });
  });

  test('are those of the replies if no model call has a cost', () => {
    expect(resultOf(withModel(priced)).cost?.source).toBe('reply');
  });

  test('leave the books balanced, also over intervals and policies', () => {
    expect(resultOf(withModel(priced, { counters: { modelSpending: spending } })).books.broken).toEqual([]);
  });
});

describe('the process of the model service', () => {
  test('is not a worker whose maximum adds to the concurrency', () => {
    const result = resultOf(withModel(run));
    expect(withModel(run).snapshot.workers).toHaveLength(2);
    expect(result.concurrency.maxIsUpperBound).toBe(false);
  });

  test('does not change the policies that its sessions follow', () => {
    const two = finishedRun({ retry: { a: 'none', b: { maxAttempts: 3 } } });
    expect(resultOf(withModel(two)).retries.verdict).toEqual(resultOf(two).retries.verdict);
  });
});

describe('a word of a model call of another session', () => {
  test('fails the integrity of the run, also without a guard', () => {
    const off = finishedRun({ integrity: false });
    const words = { modelCalls: { ...modelCounters.modelCalls, foreignWords: 1 } };
    const result = resultOf(withModel(off, { counters: words }));
    expect(resultOf(withModel(off)).integrity.verdict).toBe('off');
    expect(result.integrity).toMatchObject({ verdict: 'fail', foreignWords: 1 });
    expect(result.books.broken).toEqual([]);
  });
});

describe('the warning of an unused model service', () => {
  const warningsOf = ({ plan, snapshot }: typeof run) =>
    resultOf({ plan: withModel({ plan, snapshot }).plan, snapshot }).warnings.filter(
      ({ code }) => code === 'model_unused',
    );

  test('names the base URL to configure if no turn had a model call', () => {
    const [warning] = warningsOf(run);
    expect(warning?.message).toContain('is the agent configured with OPENAI_BASE_URL=http://127.0.0.1:9009/v1?');
  });

  test('is absent with a model call', () => {
    expect(resultOf(withModel(run)).warnings.map(({ code }) => code)).not.toContain('model_unused');
  });
});
