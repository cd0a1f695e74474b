import { describe, expect, test } from 'vitest';
import { sumOf } from '../../src/statistics/averages.ts';
import type { ModelOptions } from '../../src/scenario/scenario.ts';
import { openAgent, type Behavior, type LedgerTurn } from '../support/known-agent.ts';
import { expectLedger, expectParts, expectTraced, runInside } from '../support/inside-run.ts';

const latencyMs = 20;
const model: ModelOptions = { latency: '20ms', tokenTime: '0ms' };

/** Calls the model three times, one call after another. */
const serial: Behavior = async ({ call }) => {
  for (let count = 0; count < 2; count++) await call();
  return { text: (await call()).text };
};

/** Calls the model three times at once, and then once more. */
const parallel: Behavior = async ({ call }) => {
  await Promise.all([call(), call(), call()]);
  return { text: (await call()).text };
};

/** Passes on what the model streams. */
const relay: Behavior = async ({ call, say }) => {
  await call();
  await call({ body: { stream: true }, onContent: say });
  return { text: '' };
};

/** Length of the union of the calls of a turn, in milliseconds. */
function unionOf({ calls }: LedgerTurn): number {
  let [length, until] = [0, 0];
  for (const { begunAt, endedAt } of calls.toSorted((a, b) => a.begunAt - b.begunAt)) {
    length += Math.max(0, endedAt - Math.max(until, begunAt));
    until = Math.max(until, endedAt);
  }
  return length;
}

const closed = (concurrency: number) => ({ load: { concurrency } });
const open = (sessionsPerSecond: number) => ({ load: { sessionsPerSecond } });

describe('counts and times of model calls are those of the agent', () => {
  test.for([
    { name: 'serial calls, one session', behave: serial, perTurn: 3, max: 1, sessions: 1, load: closed(1) },
    { name: 'serial calls, 16 sessions', behave: serial, perTurn: 3, max: 1, sessions: 48, load: closed(16) },
    { name: 'serial calls, 200 sessions', behave: serial, perTurn: 3, max: 1, sessions: 400, load: closed(200) },
    { name: 'parallel calls, one session', behave: parallel, perTurn: 4, max: 3, sessions: 1, load: closed(1) },
    { name: 'parallel calls, 16 sessions', behave: parallel, perTurn: 4, max: 3, sessions: 48, load: closed(16) },
    { name: 'parallel calls, 200 sessions', behave: parallel, perTurn: 4, max: 3, sessions: 400, load: closed(200) },
    { name: 'open load', behave: serial, perTurn: 3, max: 1, sessions: 120, load: open(60) },
    { name: 'open load, parallel calls', behave: parallel, perTurn: 4, max: 3, sessions: 120, load: open(60) },
    {
      name: 'two cores',
      behave: parallel,
      perTurn: 4,
      max: 3,
      sessions: 80,
      load: closed(20),
      words: ['--cores', '2'],
    },
  ])('$name', async ({ behave, perTurn, max, sessions, load, words = [] }) => {
    const turns = 2;
    const agent = await openAgent(behave);
    const run = await runInside(agent, { sessions, turns, ...load, model }, ...words);
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const { callsPerTurn, parallel: atOnce } = run.model;
    expect(agent.calls.length).toBe(sessions * turns * perTurn);
    expect(run.model.byOutcome.ok).toBe(agent.calls.length);
    expect(run.model.byApi.chat).toBe(agent.calls.length);
    expect(callsPerTurn).toMatchObject({ turns: sessions * turns, mean: perTurn, p50: perTurn, max: perTurn });
    expect(run.model.amplification).toBe(1);
    expect([run.model.repeats, run.model.duplicates]).toEqual([0, 0]);
    expect([run.model.orphaned.calls, run.model.afterReply.calls]).toEqual([0, 0]);
    expect(run.model.positions.slice(0, 2).map(({ calls }) => calls)).toEqual([sessions * perTurn, sessions * perTurn]);
    expect(atOnce.max).toBe(max);
    // An interval of the service is within that of the agent; each turn waits for two replies or for three.
    const time = run.result.latency['model.time'];
    const rounds = max > 1 ? 2 : perTurn;
    expect(time?.sumMs).toBeLessThanOrEqual(sumOf(agent.turns.map(unionOf)));
    expect(time?.minMs).toBeGreaterThanOrEqual(latencyMs * rounds - 1);
    if (max > 1) expect(time?.sumMs).toBeLessThan(run.result.latency['model.call']?.sumMs ?? 0);
  });

  test.for([
    { name: 'one session', sessions: 1, load: closed(1), words: [] },
    { name: '16 sessions', sessions: 48, load: closed(16), words: [] },
    { name: 'open load on two cores', sessions: 60, load: open(40), words: ['--cores', '2'] },
  ])('streamed from the model to the user, $name', async ({ sessions, load, words }) => {
    const agent = await openAgent(relay);
    const streamed = { target: { stream: true }, model: { ...model, tokenTime: '1ms' } } as const;
    const run = await runInside(agent, { sessions, turns: 2, ...load, ...streamed }, ...words);
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const { latency } = run.result;
    expect(run.model.calls.total).toBe(sessions * 2 * 2);
    expect(latency['model.firstToken']?.count).toBe(sessions * 2);
    expect(latency['model.relay']?.count).toBe(sessions * 2);
    // The user receives the first token after the agent received it.
    expect(latency['model.relay']?.minMs).toBeGreaterThanOrEqual(0);
    expect(latency['model.relay']?.sumMs).toBeLessThan(latency.firstToken.sumMs);
  });
});
