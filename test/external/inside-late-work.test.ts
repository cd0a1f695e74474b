import { describe, expect, test } from 'vitest';
import { sumOf } from '../../src/statistics/averages.ts';
import type { ModelOptions } from '../../src/scenario/scenario.ts';
import { openAgent, type KnownAgent, type LedgerCall } from '../support/known-agent.ts';
import { expectLedger, expectParts, expectTraced, lengthOf, runInside } from '../support/inside-run.ts';

const graceMs = 250;
/** Replies of the model `slow` take 1.8 s, others 10 ms. */
const slow: ModelOptions = {
  latency: '10ms',
  tokenTime: '30ms',
  replies: [
    { model: 'slow', text: Array.from({ length: 60 }, (_, at) => `w${String(at)}`).join(' ') },
    { text: 'Short.' },
  ],
};
const slowly = { body: { model: 'slow' } };

/** Calls that went on after their user had left, by the clock of the agent. */
function lateCalls({ turns }: KnownAgent): (LedgerCall & { lateMs: number })[] {
  return turns.flatMap(({ leftAt, calls }) =>
    leftAt === undefined
      ? []
      : calls.flatMap((call) => {
          const lateMs = call.endedAt - Math.max(call.begunAt, leftAt);
          const isLate = call.begunAt > leftAt || call.endedAt - leftAt > graceMs;
          return isLate ? [{ ...call, lateMs }] : [];
        }),
  );
}

/** Tolerance for a busy machine, per call; inside-times.test.ts compares times. */
const busyMs = 250;

describe('an agent whose user no longer waits', () => {
  test('because of a time-out, and retries: calls are cut at the end of their attempt, and each attempt has its own', async () => {
    const agent = await openAgent(async ({ call, record }) => {
      const model = record.attempt === 1 ? 'slow' : 'quick';
      const replies = await Promise.all([call({ body: { model } }), call({ body: { model, seed: 9 } })]);
      return { text: replies.map(({ text }) => text).join() };
    });
    const retry = { maxAttempts: 2, base: '1ms', jitter: 'none' } as const;
    const run = await runInside(agent, {
      sessions: 10,
      load: { concurrency: 5 },
      timeout: '800ms',
      retry,
      model: slow,
    });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const { result, model } = run;
    expect(result.outcomes.attempts).toMatchObject({ ok: 10, timed_out: 10 });
    expect([model.calls.total, model.callsPerTurn.mean, model.amplification]).toEqual([40, 4, 2]);
    expect([model.orphaned.calls, model.orphaned.calls]).toEqual([lateCalls(agent).length, 20]);
    expect(model.afterReply.calls).toBe(0);
    const parts = result.latency['model.time'];
    expect(parts?.maxMs).toBeLessThanOrEqual(result.latency.attempt.maxMs ?? 0);
    expect(parts?.sumMs).toBeLessThan(result.latency['model.call']?.sumMs ?? 0);
    for (const { attempts } of model.slowTurns ?? [])
      expect(attempts.map(({ outcome, calls }) => [outcome, calls.map(({ isRepeat }) => isRepeat)])).toEqual([
        ['timed_out', [false, false]],
        ['ok', [false, false]],
      ]);
    expect(model.slowTurns).toHaveLength(10);
  });

  test('goes on: calls after the user had left are orphaned, with their time and tokens', async () => {
    const agent = await openAgent(async ({ call }) => {
      await call(slowly);
      await call();
      return { text: 'Too late.' };
    });
    const abandon = { share: 0.5, after: '600ms' } as const;
    const run = await runInside(agent, { sessions: 16, load: { concurrency: 8 }, abandon, model: slow });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run, lengthOf(run));
    const { result, model } = run;
    const left = agent.turns.filter(({ leftAt }) => leftAt !== undefined).length;
    const late = lateCalls(agent);
    expect(left).toBeGreaterThan(4);
    expect(result.outcomes.attempts).toMatchObject({ abandoned: left, ok: 16 - left });
    expect([late.length, model.orphaned.calls]).toEqual([2 * left, 2 * left]);
    expect(model.orphaned.tokens).toBe(sumOf(late.map(({ usage }) => usage?.output ?? 0)));
    expect(Math.abs(model.orphaned.ms - sumOf(late.map(({ lateMs }) => lateMs)))).toBeLessThan(late.length * busyMs);
    expect(model.afterReply.calls).toBe(0);
    expect(result.latency['model.cancelDelay']?.count ?? 0).toBe(0);
    expect(model.callsPerTurn).toMatchObject({ turns: 16 - left, mean: 2 });
  });

  test('closes its calls: they are cancelled, and nothing is orphaned', async () => {
    const agent = await openAgent(async ({ call, left }) => {
      await call({ ...slowly, signal: left });
      if (!left.aborted) await call();
      return { text: 'Done.' };
    });
    const abandon = { share: 0.5, after: '600ms' } as const;
    const model: ModelOptions = { ...slow, orphanGrace: '5s' };
    const run = await runInside(agent, { sessions: 16, load: { concurrency: 8 }, abandon, model });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run, lengthOf(run));
    const left = agent.turns.filter(({ leftAt }) => leftAt !== undefined).length;
    expect(left).toBeGreaterThan(4);
    expect(run.model.byOutcome).toMatchObject({ cancelled: left, ok: 2 * (16 - left) });
    expect(run.model.orphaned).toMatchObject({ calls: 0, tokens: 0, ms: 0 });
    const delay = run.result.latency['model.cancelDelay'];
    expect(delay?.count).toBe(left);
    expect(delay?.maxMs).toBeLessThan(1200);
  });

  test('has a call of its own that writes a title after each reply: it is work after the reply, not waste', async () => {
    const agent = await openAgent(async ({ call }) => {
      const { text } = await call();
      return { text, after: () => call({ body: { model: 'slow', seed: 99 } }) };
    });
    const run = await runInside(agent, { sessions: 12, turns: 2, load: { concurrency: 6 }, model: slow });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const titles = agent.turns.map(({ calls }) => calls[1]);
    expect(run.model.afterReply.calls).toBe(24);
    expect(run.model.afterReply.tokens).toBe(sumOf(titles.map((call) => call?.usage?.output ?? 0)));
    const workMs = sumOf(titles.map((call) => (call === undefined ? 0 : call.endedAt - call.begunAt)));
    expect(run.model.afterReply.ms).toBeLessThanOrEqual(workMs);
    expect(run.model.afterReply.ms).toBeGreaterThan(workMs - 24 * busyMs);
    expect(run.model.orphaned.calls).toBe(0);
    expect(run.model.byOutcome).toMatchObject({ ok: 48, open_at_end: 0 });
  });

  test('has both: orphaned calls and work after replies are counted apart', async () => {
    const agent = await openAgent(async ({ call, left }) => {
      await call(slowly);
      if (!left.aborted) return { text: 'Done.', after: () => call({ body: { model: 'slow', seed: 99 } }) };
      await call();
      return { text: 'Too late.' };
    });
    const abandon = { share: 0.5, after: '600ms' } as const;
    const run = await runInside(agent, { sessions: 16, load: { concurrency: 8 }, abandon, model: slow });
    expectLedger(run, agent);
    expectTraced(run);
    const left = agent.turns.filter(({ leftAt }) => leftAt !== undefined).length;
    expect(left).toBeGreaterThan(4);
    expect(run.model.orphaned.calls).toBe(2 * left);
    expect(run.model.afterReply.calls).toBe(16 - left);
  });
});
