import { describe, expect, test } from 'vitest';
import { sumOf } from '../../src/statistics/averages.ts';
import type { ModelUsage } from '../support/model-client.ts';
import { openAgent, type KnownAgent, type LedgerCall, type LedgerTurn } from '../support/known-agent.ts';
import { expectLedger, expectParts, expectTraced, runInside } from '../support/inside-run.ts';

/** Prices per million tokens whose multiples are whole billionths. */
const prices = { 'model-a': { input: 2, cachedInput: 0.5, output: 8 }, asOf: '2026-11-01' };
const noUsage: ModelUsage = { input: 0, output: 0, cached: 0 };

/** Cost of calls of the model in billionths, by the usage that the agent received. */
const nanosOf = (calls: readonly LedgerCall[]): number =>
  sumOf(
    calls.map(
      ({ usage: { input, output, cached } = noUsage }) => (input - cached) * 2000 + cached * 500 + output * 8000,
    ),
  );

const usageOf = ({ calls }: KnownAgent): ModelUsage => ({
  input: sumOf(calls.map(({ usage }) => usage?.input ?? 0)),
  output: sumOf(calls.map(({ usage }) => usage?.output ?? 0)),
  cached: sumOf(calls.map(({ usage }) => usage?.cached ?? 0)),
});

/** Instructions of 400 words, which every call shares. */
const instructions = { role: 'system', content: Array.from({ length: 400 }, (_, at) => `rule${String(at)}`).join(' ') };

describe('tokens and costs of model calls', () => {
  test.for([
    { name: 'whole replies', stream: {} },
    { name: 'streamed replies', stream: { stream: true, stream_options: { include_usage: true } } },
  ])('are the sums of the usages that the agent received: $name', async ({ stream }) => {
    const agent = await openAgent(async ({ text, call }) => {
      const messages = [instructions, { role: 'user', content: text }];
      await call({ body: { messages, ...stream } });
      return {
        text: (await call({ body: { messages: [...messages, { role: 'user', content: 'Go on.' }], ...stream } })).text,
      };
    });
    const load = { sessions: 20, turns: 3, load: { concurrency: 4 } };
    const run = await runInside(agent, { ...load, prices, model: { cache: { minTokens: 16 } } });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const { cost, tokens } = run.result;
    const { input, output, cached } = usageOf(agent);
    expect(cached).toBeGreaterThan(0);
    expect(run.model.tokens).toMatchObject({ input, output, cachedInput: cached, reportedCalls: 120 });
    expect(run.model.tokens.cachedShare).toBeCloseTo(cached / input, 12);
    const total = nanosOf(agent.calls) / 1e9;
    expect(cost).toMatchObject({
      source: 'model',
      currency: 'USD',
      asOf: '2026-11-01',
      total,
      wasted: 0,
      isAtLeast: false,
    });
    expect(cost?.perOkTurn).toBeCloseTo(total / 60, 12);
    expect(cost).toMatchObject({ orphaned: 0, repeated: 0, afterReply: 0, unknownModels: [] });
    // The replies to the users report no usage, and the sources are never added.
    expect(tokens.input.tokens).toBeNull();
    const [first] = run.model.positions;
    const firstTurns = agent.turns.filter(({ text }) => text.endsWith(' 1')).flatMap(({ calls }) => calls);
    expect(first?.inputPerTurn).toBeCloseTo(sumOf(firstTurns.map(({ usage }) => usage?.input ?? 0)) / 20, 9);
    // Several earlier calls share the instructions: each block counts once.
    const shared = sumOf(Object.values(run.model.cacheable).map((share) => share ?? 0));
    expect(shared).toBeGreaterThan(0.8);
    expect(shared).toBeLessThan(1);
  });

  test('of failed turns are wasted, and those of repeats and work after a reply are apart', async () => {
    const agent = await openAgent(async ({ text, call }) => {
      const reply = await call();
      if (Number(text) % 4 === 0) return { text: 'Failed.', status: 503 };
      const title = { text: 'Done.', after: () => call({ body: { model: 'model-long', seed: 9 } }) };
      if (reply.status === 200) return title;
      await call({ body: { seed: 0 }, isRepeat: true });
      return title;
    });
    const long = { model: 'model-long', text: 'word '.repeat(50) };
    const run = await runInside(agent, {
      sessions: 40,
      load: { concurrency: 1 },
      messages: ['{{session.number}}'],
      prices: { ...prices, 'model-long': prices['model-a'] },
      model: { replies: [long, { text: 'Short.' }], tokenTime: '20ms', faults: [{ kind: 'internal_error', every: 9 }] },
    });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const { cost } = run.result;
    const costOf = (wanted: (turn: LedgerTurn) => readonly LedgerCall[]) => nanosOf(agent.turns.flatMap(wanted)) / 1e9;
    const repeats = costOf(({ calls }) => calls.filter(({ isRepeat }) => isRepeat));
    const titles = costOf(({ calls }) => calls.filter(({ usage }) => (usage?.output ?? 0) > 20));
    expect(Math.min(repeats, titles)).toBeGreaterThan(0);
    expect(cost).toMatchObject({
      total: costOf(({ calls }) => calls),
      wasted: costOf(({ calls, status }) => (status === 200 ? [] : calls)),
      repeated: repeats,
      afterReply: titles,
      orphaned: 0,
      isAtLeast: false,
    });
  });

  test('of models without a price are not known, and named', async () => {
    const agent = await openAgent(async ({ call }) => {
      await call({ body: { model: 'model-z' } });
      return { text: (await call()).text };
    });
    const run = await runInside(agent, { sessions: 15, load: { concurrency: 3 }, prices });
    expectLedger(run, agent);
    const { cost, warnings } = run.result;
    expect(cost).toMatchObject({
      source: 'model',
      total: nanosOf(agent.turns.flatMap(({ calls }) => calls.slice(1))) / 1e9,
      isAtLeast: true,
      unknownAttempts: { total: 15 },
      unknownModels: [{ name: 'model-z', replies: 15 }],
    });
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'unknown_models' }));
    expect(run.ended.stdout).toMatch(/at least/);
  });

  test('end a run at maxCost', async () => {
    const agent = await openAgent(async ({ call }) => ({ text: (await call()).text }));
    const endless = { duration: '60s', load: { concurrency: 4 }, turns: 50, thinkTime: '5ms' } as const;
    const run = await runInside(agent, { ...endless, prices, maxCost: 0.02 });
    expectLedger(run, agent);
    expect(run.result.run.stop).toMatchObject({ kind: 'cap' });
    expect(run.result.run.stop?.reason).toContain('maxCost');
    expect(run.result.cost?.total).toBe(nanosOf(agent.calls) / 1e9);
    expect(run.result.cost?.total).toBeGreaterThanOrEqual(0.02);
  });
});
