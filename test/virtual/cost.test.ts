import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { later, ms } from '../../src/base/time.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Result } from '../../src/result/result.ts';
import type { Send } from '../../src/session/send.ts';
import { playShards } from '../support/play-shards.ts';
import { renderResultMarkdown } from '../support/render-outline.ts';
import { resultOf } from '../support/synthetic-result.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import { witness, type ServiceModel } from '../support/virtual-run.ts';
import { wholeExchange } from '../support/whole-exchange.ts';

/** 1 per million tokens of input, a tenth of it from a cache, 10 of output: 1000 and 100 tokens cost 0.002. */
const prices = { 'model-a': { input: 1, cachedInput: 0.1, output: 10 }, asOf: '2026-11-01', currency: 'EUR' };
const target = { protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:9', agentId: 'model-a', auth: 'none' } as const;
const base: Partial<Scenario> = { target, prices, sessions: 10, turns: 2, load: { concurrency: 1 }, retry: 'none' };

interface Usage {
  prompt_tokens?: number;
  completion_tokens?: number;
  prompt_tokens_details?: { cached_tokens: number };
}
const usual: Usage = { prompt_tokens: 1000, completion_tokens: 100 };
const reply = (usage: Usage | undefined, { model = 'model-a', text = 'Hi.' } = {}): string =>
  JSON.stringify({
    id: randomUUID(),
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage,
  });

/** Runs it; the n-th request is answered by the n-th answer, the others with the usual usage, each after 100 ms. */
async function run(
  scenario: Partial<Scenario>,
  answers: Readonly<Record<number, Partial<ReturnType<ServiceModel>>>> = {},
): Promise<Result> {
  let asked = 0;
  const { result } = await witness({ ...base, ...scenario }, () => {
    asked += 1;
    return { afterMs: 100, body: reply(usual), ...answers[asked] };
  });
  expect(result.books.broken).toEqual([]);
  return result;
}

const costOf = (result: Result) => {
  if (result.cost === null) throw new Error('no cost');
  return result.cost;
};

describe('a run with prices', () => {
  test('has the cost of all replies, per turn and session, to the last digit', async () => {
    const result = await run({});
    expect(costOf(result)).toEqual({
      source: 'reply',
      currency: 'EUR',
      asOf: '2026-11-01',
      total: 0.04,
      perTurn: 0.002,
      perOkTurn: 0.002,
      perSession: 0.004,
      perGoodTurn: null,
      wasted: 0,
      wastedShare: 0,
      unknownAttempts: { total: 0, byClass: {} },
      unknownShare: 0,
      isAtLeast: false,
      unknownModels: [],
      substitutedPrices: [],
      fallbackPrices: [],
    });
    expect(result.tokens).toMatchObject({
      replies: 20,
      input: { tokens: 20_000, perTurn: 1000, reportedShare: 1 },
      cachedInput: { tokens: null, perTurn: null, reportedShare: 0 },
      output: { tokens: 2000, perTurn: 100, reportedShare: 1 },
      cachedShare: null,
    });
    expect(result.tokens.positions.slice(0, 3)).toEqual([
      { position: '1', inputTokens: 10_000, outputTokens: 1000, cachedInputTokens: 0, cachedShare: null },
      { position: '2', inputTokens: 10_000, outputTokens: 1000, cachedInputTokens: 0, cachedShare: null },
      { position: '3-4', inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cachedShare: null },
    ]);
    expect(result.spending.cost).toBe(0.04);
  });

  test('shares the input read from caches by position, over the replies that report it', async () => {
    const cached = (tokens: number) => ({
      body: reply({ ...usual, prompt_tokens_details: { cached_tokens: tokens } }),
    });
    const { tokens, cost } = await run({ sessions: 2 }, { 1: cached(0), 2: cached(900), 4: cached(600) });
    expect(tokens).toMatchObject({ cachedInput: { tokens: 1500, reportedShare: 0.75 }, cachedShare: 0.5 });
    expect(tokens.positions.slice(0, 2).map(({ cachedShare }) => cachedShare)).toEqual([0, 0.75]);
    // 2,500 x 1 + 1,500 x 0.1 + 400 x 10
    expect(cost?.total).toBe(0.00665);
  });

  test('whose objective few turns meet has a cost per good turn', async () => {
    const slow = { afterMs: 900 };
    const result = await run({ objective: '500ms' }, { 1: slow, 2: slow, 3: slow, 4: slow });
    expect(costOf(result)).toMatchObject({ perGoodTurn: 0.0025, perOkTurn: 0.002 });
  });

  test('counts replies that fail a check, and their cost as wasted', async () => {
    const checks = { polite: (text: string) => text !== 'No.' };
    const rude = { body: reply(usual, { text: 'No.' }) };
    const result = await run({ checks, turns: 1 }, { 2: rude, 5: rude });
    expect(result.outcomes.attempts.check_failed).toBe(2);
    expect(costOf(result)).toMatchObject({ total: 0.02, wasted: 0.004, wastedShare: 0.2, perOkTurn: 0.0025 });
  });

  test('counts attempts without usage by class, but not those that were refused before any work', async () => {
    const retry = { maxAttempts: 3, base: '10ms' } as const;
    const result = await run(
      { retry, turns: 1 },
      {
        1: { status: 500, body: '{}' },
        3: { status: 429, body: '{}' },
        5: { failure: 'connect_failed' },
        7: { failure: 'timed_out' },
        9: { body: reply(undefined) },
        10: { body: reply({ prompt_tokens: 1000 }) },
      },
    );
    expect(result.outcomes.turns.ok).toBe(10);
    const cost = costOf(result);
    expect(cost.unknownAttempts).toEqual({
      total: 4,
      byClass: { server_error: 1, timed_out: 1, ok: 2 },
    });
  });

  test('has a lower bound, and no data for gates, above 1 % of unknown attempts', async () => {
    const gates = { 'cost.perOkTurn': '< 1', 'cost.unknownShare': '< 1%', 'tokens.outputPerTurn': '< 101' } as const;
    const two = await run({ sessions: 100, gates }, { 3: { body: reply(undefined) }, 4: { body: reply(undefined) } });
    expect(costOf(two)).toMatchObject({ unknownShare: 0.01, isAtLeast: false, total: 0.396 });
    expect(two.gates.map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'pass', 'pass']);
    const three = await run(
      { sessions: 100, gates },
      { 3: { body: reply(undefined) }, 4: { body: reply(undefined) }, 5: { body: reply(undefined) } },
    );
    expect(costOf(three)).toMatchObject({ unknownShare: 0.015, isAtLeast: true, total: 0.394 });
    expect(three.gates[0]).toMatchObject({
      metric: 'cost.perOkTurn',
      verdict: 'no-data',
      reason: 'the cost of 1.50 % of the attempts is not known, at most 1.00 % may be',
    });
  });

  test('warns once of models without a price, which have no cost', async () => {
    const other = { body: reply(usual, { model: 'model-b-2026' }) };
    const result = await run(
      {
        prices: { 'model-c': prices['model-a'], 'model-a-1': prices['model-a'] },
        target: { ...target, agentId: 'model-b' },
      },
      { 1: other, 2: { body: reply(usual, { model: 'model-c' }) } },
    );
    expect(costOf(result)).toMatchObject({
      total: 0.002,
      unknownAttempts: { total: 19, byClass: { ok: 19 } },
      unknownModels: [
        { name: 'model-a', replies: 18 },
        { name: 'model-b-2026', replies: 1 },
      ],
      isAtLeast: true,
    });
    expect(result.warnings).toEqual([
      {
        code: 'unknown_models',
        message: 'The prices do not contain model-a (18 replies), model-b-2026 (1 reply): these replies have no cost.',
        remedy: 'Add the models to prices, by the name in the reply or by the requested name.',
      },
    ]);
  });

  test('names models without a price whose replies were priced as the requested model', async () => {
    const named = (model: string) => ({ body: reply(usual, { model }) });
    const result = await run(
      { prices: { 'model-a': prices['model-a'], 'model-c': { input: 2, output: 20 } } },
      {
        1: named('model-a-mini'),
        2: named('model-a-mini'),
        3: named('model-a-2026-11-01'),
        4: named('model-c'),
        5: named(''),
        6: { status: 500, body: reply(usual, { model: 'model-a-mini' }) },
      },
    );
    expect(costOf(result)).toMatchObject({
      total: 0.04,
      unknownModels: [],
      substitutedPrices: [
        { name: 'model-a-mini', replies: 2 },
        { name: 'model-a-2026-11-01', replies: 1 },
      ],
    });
    expect(renderResultMarkdown(result)).toContain(
      'priced as the requested model: model-a-mini (2 replies), model-a-2026-11-01 (1 reply)',
    );
    expect(result.warnings).toEqual([
      {
        code: 'models_substituted',
        message:
          'The prices do not contain model-a-mini (2 replies): these replies were priced as the requested model, although another one may have answered.',
        remedy: 'Add the models to prices by the name in the reply, at their own prices.',
      },
    ]);
  });

  test.each([
    ['model-a-2026-11-01', false],
    ['model-a-20261101', false],
    ['model-a@20261101', false],
    ['model-a-001', false],
    ['model-a-latest', false],
    ['model-a-v2', true],
    ['model-a.5', true],
    ['model-a-mini-2026-11-01', true],
    ['other/model-a', true],
  ])('takes %s for a version of the requested model, or warns: %s', async (model, warns) => {
    const result = await run({ sessions: 1 }, { 1: { body: reply(usual, { model }) } });
    expect(result.cost?.substitutedPrices).toEqual([{ name: model, replies: 1 }]);
    expect(result.warnings.map(({ code }) => code)).toEqual(warns ? ['models_substituted'] : []);
  });

  test('lists parts that were priced as other input', async () => {
    const cached = { body: reply({ ...usual, prompt_tokens_details: { cached_tokens: 500 } }) };
    const result = await run({ prices: { 'model-a': { input: 1, output: 10 } } }, { 1: cached, 2: cached });
    expect(costOf(result)).toMatchObject({
      total: 0.04,
      currency: 'USD',
      asOf: null,
      fallbackPrices: [{ name: 'model-a: cachedInput', replies: 2 }],
    });
  });

  test('in which no cost is known has none, not 0', async () => {
    const result = await run({ prices: { 'model-x': prices['model-a'] }, gates: { 'cost.total': '< 1' } });
    expect(costOf(result)).toMatchObject({
      total: null,
      perOkTurn: null,
      wasted: null,
      unknownShare: 1,
      isAtLeast: true,
    });
    expect(result.gates[0]).toMatchObject({ verdict: 'no-data' });
  });
});

test('a run without cost and prices has tokens, and no data for gates on cost', async () => {
  const bare = { target, sessions: 10, turns: 2, load: { concurrency: 1 } };
  const { result } = await witness({ ...bare, gates: { 'cost.perTurn': '< 1' } }, () => ({
    afterMs: 1,
    body: reply(usual),
  }));
  expect([result.cost, result.spending.cost, result.tokens.input.tokens]).toEqual([null, null, 20_000]);
  expect(result.gates[0]).toMatchObject({ verdict: 'no-data', reason: 'the scenario has neither cost nor prices' });
});

test('the function of the scenario takes precedence over prices, and sources are never added', async () => {
  const result = await run({ cost: () => 0.5 }, { 1: { status: 500, body: '{}' } });
  expect(costOf(result)).toMatchObject({
    source: 'service',
    currency: null,
    asOf: null,
    total: 9,
    unknownShare: 1 / 19,
  });
});

describe('a warm-up', () => {
  test('is in no published cost, but in the spending and the cap', async () => {
    const warm: Partial<Scenario> = { sessions: 40, warmUp: '1s' };
    const result = await run(warm);
    // Sessions of two turns of 100 ms each: five in the warm-up.
    expect(costOf(result)).toMatchObject({ total: 0.14, perSession: 0.004 });
    expect(result.tokens.replies).toBe(70);
    expect(result.spending.cost).toBe(0.16);
    const capped = await run({ ...warm, maxCost: 0.03 });
    expect(capped.run.stop?.reason).toBe('maxCost (0.03) was reached: replies cost 0.03');
    expect([capped.spending.cost, costOf(capped).total]).toEqual([0.03, 0.01]);
  });
});

test('a cap is reached by fractions of a millionth', async () => {
  const cheap = { 'model-a': { input: 0.02, output: 0 } };
  const result = await run({ prices: cheap, sessions: 100, maxCost: 0.000001 }, {});
  // 1,000 tokens cost 0.00002.
  expect(result.spending).toMatchObject({ cost: 0.00002, turns: 1 });
});

/** Runs it in this number of concurrent shards, and merges their journals. Costs depend only on the message. */
async function inShards(scenario: Partial<Scenario>, count: number): Promise<Result> {
  const resolved = resolveScenario(
    { name: 'x', messages: ['Hi'], ...base, ...scenario },
    { flags: {}, environment: {} },
  );
  const sendBy =
    (clock: VirtualClock): Send =>
    ({ body }, sentAt) =>
      new Promise((resolve) => {
        const { messages } = JSON.parse(body) as { messages: { content: string }[] };
        const number = Number(/\d+/.exec(messages[0]?.content ?? '')?.[0]);
        const endedAt = later(sentAt, ms(80 + (number % 7)));
        const usage = {
          prompt_tokens: 100 + number,
          completion_tokens: number,
          prompt_tokens_details: { cached_tokens: 7 },
        };
        const answer = number % 9 === 0 ? { status: 500, body: '{}' } : { status: 200, body: reply(usage) };
        clock.wakeAt(endedAt, () => resolve(wholeExchange({ ...answer, sentAt, endedAt })));
      });
  return resultOf({ plan: resolved.plan, snapshot: await playShards(resolved, count, sendBy) });
}

test.each([2, 3])('%i shards have the tokens and the cost of one process, to the last digit', async (count) => {
  const scenario: Partial<Scenario> = {
    messages: ['Message {{session.number}}'],
    prices: { 'model-a': { input: 0.0625, output: 0.9 } },
    sessions: 60,
    warmUp: '700ms',
    load: { sessionsPerSecond: 20 },
    retry: { one: { maxAttempts: 2, base: '10ms' }, two: 'none' },
  };
  const [one, several] = [await inShards(scenario, 1), await inShards(scenario, count)];
  expect(one.books.broken).toEqual([]);
  expect(several.books.broken).toEqual([]);
  expect(several.cost).toEqual(one.cost);
  expect(several.tokens).toEqual(one.tokens);
  expect(several.spending).toEqual(one.spending);
  expect(costOf(one).unknownAttempts.byClass.server_error).toBeGreaterThan(0);
  expect(costOf(one).total).toBeGreaterThan(0);
  expect(several.retries.policies.map(({ cost }) => cost)).toEqual(one.retries.policies.map(({ cost }) => cost));
});

describe('the cost per turn over a run', () => {
  const growing = async (unknownEvery: number) => {
    let asked = 0;
    const { result } = await witness(
      {
        ...base,
        sessions: 4000,
        turns: 1,
        thinkTime: 0,
        load: { sessionsPerSecond: 4 },
        gates: { 'drift.cost.perTurn': '< 5%/h' },
      },
      (_, at) => {
        asked += 1;
        const usage = { prompt_tokens: 1000 + Math.round(at / 1000) + ((asked * 7919) % 991), completion_tokens: 100 };
        return { afterMs: 100, body: reply(asked % unknownEvery === 0 ? undefined : usage) };
      },
    );
    return { gate: result.gates[0], series: result.drift.series.find(({ name }) => name === 'cost.perTurn') };
  };

  test('drifts, and fails its gate', async () => {
    const { gate, series } = await growing(Infinity);
    expect(series).toMatchObject({ unit: 'cost', verdict: 'drift', direction: 'worse' });
    expect(gate).toMatchObject({ metric: 'drift.cost.perTurn', verdict: 'fail' });
  });

  test('is no evidence if too many costs are unknown', async () => {
    const { gate } = await growing(50);
    expect(gate).toMatchObject({
      verdict: 'no-data',
      reason: 'the cost of 2.00 % of the attempts is not known, at most 1.00 % may be',
    });
  });
});
