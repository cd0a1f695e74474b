import { setTimeout as pass } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sumOf } from '../../src/statistics/averages.ts';
import type { ModelOptions } from '../../src/scenario/scenario.ts';
import { openAgent, type AgentTurn, type KnownAgent, type LedgerTurn } from '../support/known-agent.ts';
import type { ModelReply } from '../support/model-client.ts';
import { expectLedger, expectParts, expectTraced, runInside } from '../support/inside-run.ts';

const waitMs = 30;
const longMs = 800;

/** Calls the model until it no longer refuses; `mark` changes the body of a repeat, and marks it as client libraries do. */
async function persist({ call }: AgentTurn, body: { seed: number }, mark = false): Promise<ModelReply> {
  for (let retries = 0; ; retries++) {
    const marked = {
      headers: { 'x-stainless-retry-count': String(retries) },
      body: { ...body, user: String(retries) },
    };
    const reply = await call({ body, isRepeat: retries > 0, ...(mark && marked) });
    if (reply.status !== 429) return reply;
    await pass(waitMs);
  }
}

/** Waits of an agent between the end of a refused call and its repeat, where the calls follow each other. */
const waitsOf = ({ calls }: LedgerTurn): number[] =>
  calls.flatMap(({ isRepeat, begunAt }, at) => (isRepeat ? [begunAt - (calls[at - 1]?.endedAt ?? 0)] : []));

const faults = (every: number) => [{ kind: 'rate_limited', every } as const];
const repeatsOf = ({ calls }: KnownAgent): number => calls.filter(({ isRepeat }) => isRepeat).length;

describe('an agent that repeats calls which the model refused', () => {
  test.for([
    { name: 'as they were', mark: false },
    { name: 'with the mark of a client library', mark: true },
  ])('$name: repeats, waits and amplification are those of its ledger', async ({ mark }) => {
    const agent = await openAgent(async (turn) => {
      await persist(turn, { seed: 1 }, mark);
      return { text: (await persist(turn, { seed: 2 }, mark)).text };
    });
    const run = await runInside(agent, {
      sessions: 40,
      turns: 2,
      load: { concurrency: 8 },
      model: { faults: faults(5) },
    });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const { result, model } = run;
    expect(result.books.turns.ok).toBe(80);
    const refused = agent.calls.filter(({ status }) => status === 429).length;
    expect(refused).toBe(Math.floor(agent.calls.length / 5));
    expect(model.byOutcome).toMatchObject({ ok: agent.calls.length - refused, injected: refused, rate_limited: 0 });
    expect([model.repeats, model.duplicates]).toEqual([repeatsOf(agent), 0]);
    expect(model.amplification).toBe(agent.calls.length / (80 * 2));
    const waits = agent.turns.map((turn) => sumOf(waitsOf(turn)));
    const wait = result.latency['model.retryWait'];
    // The service sees each wait of the agent with the way of both exchanges.
    expect(wait?.sumMs).toBeGreaterThanOrEqual(sumOf(waits));
    expect(wait?.count).toBe(80);
    expect(model.propagation).toMatchObject([
      {
        kind: 'rate_limited',
        calls: refused,
        okAfterRetry: 0,
        failed: {},
        abandoned: 0,
        turns: agent.turns.filter(({ calls }) => calls.some(({ status }) => status === 429)).length,
        okAtOnce: agent.turns.filter(({ calls }) => calls.some(({ status }) => status === 429)).length,
      },
    ]);
  });

  test('while another call is open: the wait is model time', async () => {
    const agent = await openAgent(async (turn) => {
      const { status } = await turn.call();
      const other = turn.call({ body: { model: 'slow' } });
      await pass(longMs);
      await turn.call({ body: { seed: 0 }, isRepeat: status === 429 });
      await other;
      return { text: 'Done.' };
    });
    const slow = { model: 'slow', text: 'Words '.repeat(60) };
    const first = { kind: 'rate_limited', first: 1 } as const;
    const model: ModelOptions = { faults: [first], tokenTime: '20ms', replies: [slow, { text: 'Short.' }] };
    const run = await runInside(agent, { sessions: 1, model });
    expectLedger(run, agent);
    expectParts(run);
    expect([run.model.repeats, run.model.byOutcome.injected]).toEqual([1, 1]);
    expect(run.result.latency['model.retryWait']?.sumMs).toBeLessThan(longMs);
    expect(run.result.latency['model.time']?.sumMs).toBeGreaterThan(59 * 20);
  });

  test('by a limit of the service: its own refusals are no injected faults', async () => {
    const agent = await openAgent(async (turn) => {
      const reply = await turn.call();
      return reply.status === 429 ? { text: 'Busy.', status: 503 } : { text: reply.text };
    });
    const limits = { requestsPerMinute: 20 };
    const run = await runInside(agent, { sessions: 40, load: { concurrency: 4 }, model: { limits } });
    expectLedger(run, agent);
    expectParts(run);
    const refused = agent.calls.filter(({ status }) => status === 429).length;
    expect(refused).toBeGreaterThan(10);
    expect(run.model.byOutcome).toMatchObject({ rate_limited: refused, injected: 0, ok: agent.calls.length - refused });
    expect(run.result.outcomes.attempts.server_error).toBe(refused);
    expect(run.model.propagation).toEqual([]);
  });

  test('in parallel with an equal call: the equal call is a duplicate, no repeat', async () => {
    const agent = await openAgent(async ({ call }) => {
      const equal = { body: { seed: 7 } };
      const [first] = await Promise.all([call(equal), call(equal)]);
      return { text: first.text };
    });
    const run = await runInside(agent, { sessions: 30, turns: 2, load: { concurrency: 6 } });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    expect([run.model.duplicates, run.model.repeats]).toEqual([60, 0]);
    expect([run.model.parallel.max, run.model.amplification]).toEqual([2, 1]);
  });
});
