import { describe, expect, test } from 'vitest';
import { sumOf } from '../../src/statistics/averages.ts';
import { openAgent, type Behavior } from '../support/known-agent.ts';
import { expectLedger, expectParts, expectTraced, runInside } from '../support/inside-run.ts';

const twice: Behavior = async ({ call }) => {
  await call();
  return { text: (await call()).text };
};
const forwardNothing = () => ({});
const load = { sessions: 24, turns: 2, load: { concurrency: 6 } };

describe('model calls are attributed', () => {
  test('by a header that the agent copies', async () => {
    const agent = await openAgent(twice, {
      forward: (headers) => ({ 'x-request-trace': String(headers['x-request-trace']) }),
    });
    const run = await runInside(agent, { ...load, model: { header: 'X-Request-Trace' } });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    expect(run.model.callsPerTurn).toMatchObject({ turns: 48, mean: 2 });
  });

  test('by the trace id, whatever the parent is', async () => {
    const agent = await openAgent(twice, {
      forward: ({ traceparent = '' }) => ({
        traceparent: traceparent.replace(/-[\da-f]{16}-/, '-00f067aa0ba902b7-'),
      }),
    });
    const run = await runInside(agent, load);
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
  });

  test('by the text of the message if no trace is forwarded', async () => {
    const agent = await openAgent(twice, { forward: forwardNothing });
    const run = await runInside(agent, { ...load, model: { match: 'text' } });
    expectLedger(run, agent);
    expect(run.model.calls).toEqual({ total: 96, traced: 0, matched: 96, created: 0, unattributed: 0 });
    expect(run.model.callsPerTurn).toMatchObject({ turns: 48, mean: 2 });
    expectParts(run);
  });

  test('not by a text that two attempts in flight have', async () => {
    const bothHere: (() => void)[] = [];
    const meet = (): Promise<void> =>
      new Promise((resolve) => {
        bothHere.push(resolve);
        if (bothHere.length === 2) for (const go of bothHere.splice(0)) go();
      });
    const agent = await openAgent(
      async (turn) => {
        await meet();
        const reply = await twice(turn);
        // Neither attempt ends before the last call of the other.
        await meet();
        return reply;
      },
      { forward: forwardNothing },
    );
    const same = { sessions: 2, turns: 1, load: { concurrency: 2 }, messages: ['The same'] };
    const run = await runInside(agent, { ...same, model: { match: 'text' } });
    expect(agent.calls).toHaveLength(4);
    expect(run.model.calls).toEqual({ total: 4, traced: 0, matched: 0, created: 0, unattributed: 4 });
    expect([run.model.attempts, run.model.noCall]).toEqual([0, 2]);
  });

  test('by the text with retries of the client: counts only, without times, repeats or orphans', async () => {
    const agent = await openAgent(
      async ({ call, record }) => {
        await call({ body: { seed: 1 } });
        return record.attempt === 1 ? { text: 'Failed.', status: 503 } : { text: 'Done.' };
      },
      { forward: forwardNothing },
    );
    const retry = { maxAttempts: 2, base: '1ms', jitter: 'none' } as const;
    const run = await runInside(agent, { ...load, retry, model: { match: 'text' } });
    expect(agent.calls).toHaveLength(96);
    expect(run.model.calls).toMatchObject({ total: 96, matched: 96, unattributed: 0 });
    expect(run.model.callsPerTurn).toMatchObject({ turns: 48, mean: 2 });
    expect([run.model.attempts, run.model.repeats, run.model.duplicates, run.model.orphaned.calls]).toEqual([
      0, 0, 0, 0,
    ]);
  });

  test('not without a trace: the result is degraded and names the ways to forward one', async () => {
    const agent = await openAgent(twice, { forward: forwardNothing });
    const run = await runInside(agent, load);
    expect(run.model.calls).toEqual({ total: 96, traced: 0, matched: 0, created: 0, unattributed: 96 });
    expect([run.model.attributedShare, run.model.attempts, run.model.noCall]).toEqual([0, 0, 48]);
    const { verdict, reasons } = run.result.validity;
    expect(verdict).toBe('degraded');
    const reason = reasons.find(({ code }) => code === 'model_unattributed');
    expect(reason?.message).toContain('96 of 96 model calls');
    expect(reason?.remedy).toMatch(/traceparent.*undici.*model\.header.*model\.match/s);
    expect(run.ended.stdout.replace(/\s+/g, ' ')).toContain('traceparent');
  });

  test('to the creation of a session apart from turns', async () => {
    const agent = await openAgent(twice, {
      create: async ({ call }) => ({
        text: (await call({ body: { messages: [{ role: 'system', content: 'Greet.' }] } })).text,
      }),
    });
    const run = await runInside(agent, { ...load, target: { protocol: 'chat-messaging' } });
    expect(agent.creations).toHaveLength(24);
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    expect(run.model.calls).toMatchObject({ created: 24, traced: 96 });
  });

  test('to the other calls of a trace that the agent forwards for a part only', async () => {
    let turns = 0;
    const agent = await openAgent(twice, {
      forward: ({ traceparent = '' }) => (++turns % 2 === 0 ? {} : { traceparent }),
    });
    const run = await runInside(agent, load);
    expect(run.model.calls).toMatchObject({ total: 96, traced: 48, unattributed: 48 });
    expect([run.model.attempts, run.model.noCall]).toEqual([24, 24]);
    expect(run.result.validity.reasons.map(({ code }) => code)).toContain('model_unattributed');
  });
});

describe('attempts', () => {
  test('of an agent that caches its replies have no call, and no part of the times', async () => {
    const cache = new Map<string, Promise<string>>();
    const agent = await openAgent(async ({ text, call }) => {
      const known = cache.get(text);
      if (known !== undefined) return { text: await known };
      const made = call().then((reply) => reply.text);
      cache.set(text, made);
      return { text: await made };
    });
    const messages = ['Question {{turn.number}}'];
    const run = await runInside(agent, { sessions: 20, turns: 3, load: { concurrency: 4 }, messages });
    expectLedger(run, agent);
    expectTraced(run);
    expect(run.model).toMatchObject({ attempts: 3, noCall: 57, calls: { total: 3 } });
    const { latency } = run.result;
    const sums = (['model.time', 'model.retryWait', 'model.agentTime'] as const).map(
      (name) => latency[name]?.sumMs ?? 0,
    );
    expect(latency['model.time']?.count).toBe(3);
    expect(sumOf(sums)).toBeLessThan(latency.attempt.sumMs);
  });

  test('call by every route, and other requests are not calls', async () => {
    const user = (content: string) => [{ role: 'user', content }];
    const agent = await openAgent(async ({ text, call }) => {
      await call({ path: '/v1/embeddings', body: { input: text } });
      await call({ path: '/v1/responses', body: { input: text } });
      await call({
        path: '/v1/messages',
        body: { max_tokens: 20, messages: user(text) },
        headers: { 'anthropic-version': '2023-06-01' },
      });
      await fetch(`${agent.modelOrigin}/v1/models`).then((response) => response.text());
      return { text: (await call()).text };
    });
    const run = await runInside(agent, load);
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    expect(agent.calls.map(({ status }) => status)).toEqual(Array.from({ length: 192 }, () => 200));
    expect(run.model.byApi).toEqual({ chat: 48, responses: 48, messages: 48, embeddings: 48 });
    expect(run.model.otherRequests).toBe(48);
  });
});

describe('replies of the model with a unique word', () => {
  const delivered = { ...load, model: { delivered: true } };

  test('are delivered by an agent that passes them on', async () => {
    const agent = await openAgent(twice);
    const run = await runInside(agent, delivered);
    expectLedger(run, agent);
    expect(run.model.delivered).toEqual({ checked: 48, delivered: 48, share: 1, foreign: 0 });
    expect(run.result.integrity.failed).toBe(0);
  });

  test('are not delivered by an agent that replies in words of its own', async () => {
    const agent = await openAgent(async ({ text, call }) => {
      const reply = await call();
      return { text: text.endsWith(' 2') ? 'Something else.' : reply.text };
    });
    const run = await runInside(agent, delivered);
    expectLedger(run, agent);
    expect(run.model.delivered).toEqual({ checked: 48, delivered: 24, share: 0.5, foreign: 0 });
  });

  test('of another session are an integrity failure', async () => {
    let earlier = 'Welcome.';
    const agent = await openAgent(async ({ text, call }) => {
      const reply = await call();
      const isCrossed = text.endsWith(' 1');
      const answer = isCrossed ? earlier : reply.text;
      earlier = reply.text;
      return { text: answer };
    });
    const run = await runInside(agent, { ...delivered, load: { concurrency: 1 } });
    expectLedger(run, agent);
    // The first session has no session before it.
    expect(run.model.delivered).toEqual({ checked: 48, delivered: 24, share: 0.5, foreign: 23 });
    expect(run.ended.code).toBe(1);
  });
});
