import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pass } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ModelOptions } from '../../src/scenario/scenario.ts';
import { openAgent, type Behavior, type LedgerTurn } from '../support/known-agent.ts';
import { expectLedger, expectParts, runInside, type InsideRun } from '../support/inside-run.ts';

/**
 * Maximum distance between the clock of the agent and the times of the result, for each call of a turn, in milliseconds.
 * Machines of continuous integration are shared: other processes delay those of the run, which this one cannot measure.
 */
const toleranceMs = process.env['CI'] === 'true' ? 6 : 3;
/** Delay of timers in this process, which has the agent: its clock is read late by as much. */
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
beforeEach(() => delay.reset());

/** Returns the usual delay beyond the resolution: about 0 on a machine that is not busy. */
const lateMs = (): number => Math.max(0, delay.percentile(90) / 1e6 - 1.5);
const load = { sessions: 12, turns: 3, load: { concurrency: 1 } };
const model: ModelOptions = { latency: '40ms', tokenTime: '0ms' };

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
}

/** Parts of a turn by the clock of the agent, if one call is open at a time. */
function partsOf({ calls, begunAt, endedAt }: LedgerTurn) {
  let [modelMs, waitMs] = [0, 0];
  for (const [at, call] of calls.entries()) {
    modelMs += call.endedAt - call.begunAt;
    if (call.isRepeat) waitMs += call.begunAt - (calls[at - 1]?.endedAt ?? 0);
  }
  return { modelMs, waitMs, agentMs: endedAt - begunAt - modelMs - waitMs };
}

const p50Of = (
  { result: { latency } }: InsideRun,
  name: 'model.time' | 'model.retryWait' | 'model.agentTime',
): number => latency[name]?.p50Ms ?? NaN;

function expectNear(value: number, known: number, calls = 1): void {
  const within = calls * (toleranceMs + lateMs());
  const text = `${String(value)} ms instead of ${String(known)} ms, late by ${lateMs().toFixed(1)} ms`;
  expect(Math.abs(value - known), text).toBeLessThan(within);
}

// A moment in which the machine was busy is measured again; a wrong time fails again.
describe('with one session, the times of a turn are those of the clock of the agent', { retry: 4 }, () => {
  test('serial calls with work between them', async () => {
    const behave: Behavior = async ({ call }) => {
      await pass(15);
      await call();
      await pass(25);
      const { text } = await call();
      await pass(10);
      return { text };
    };
    const agent = await openAgent(behave);
    const run = await runInside(agent, { ...load, model });
    expectLedger(run, agent);
    expectParts(run);
    const parts = agent.turns.map(partsOf);
    expectNear(p50Of(run, 'model.time'), medianOf(parts.map(({ modelMs }) => modelMs)), 2);
    expectNear(p50Of(run, 'model.agentTime'), medianOf(parts.map(({ agentMs }) => agentMs)), 2);
    expect(run.result.latency['model.retryWait']?.maxMs).toBe(0);
    const { latency } = run.result;
    const firsts = agent.turns.map(({ calls, begunAt }) => (calls[0]?.begunAt ?? 0) - begunAt);
    const lasts = agent.turns.map(({ calls, endedAt }) => endedAt - (calls.at(-1)?.endedAt ?? 0));
    expectNear(latency['model.beforeFirstCall']?.p50Ms ?? NaN, medianOf(firsts));
    expectNear(latency['model.afterLastCall']?.p50Ms ?? NaN, medianOf(lasts));
  });

  test('parallel calls of different length', async () => {
    const agent = await openAgent(async ({ call }) => {
      await Promise.all([call(), pass(20).then(() => call())]);
      await pass(10);
      return { text: 'Done.' };
    });
    const run = await runInside(agent, { ...load, model });
    expectLedger(run, agent);
    expectParts(run);
    const unions = agent.turns.map(({ calls: [one, other] }) => (other?.endedAt ?? 0) - (one?.begunAt ?? 0));
    expectNear(p50Of(run, 'model.time'), medianOf(unions));
  });

  test('a wait before each repeat', async () => {
    const agent = await openAgent(async ({ call }) => {
      for (let isRepeat = false; ; isRepeat = true) {
        const { status, text } = await call({ body: { seed: 1 }, isRepeat });
        if (status === 200) return { text };
        await pass(30);
      }
    });
    const run = await runInside(agent, { ...load, model: { ...model, faults: [{ kind: 'rate_limited', every: 2 }] } });
    expectLedger(run, agent);
    expectParts(run);
    const parts = agent.turns.map(partsOf);
    expectNear(p50Of(run, 'model.retryWait'), medianOf(parts.map(({ waitMs }) => waitMs)), 2);
    expectNear(p50Of(run, 'model.time'), medianOf(parts.map(({ modelMs }) => modelMs)), 2);
  });

  test('the relay of a stream, held back by the agent', async () => {
    const holdMs = 20;
    const agent = await openAgent(async ({ call, say }) => {
      const held: Promise<void>[] = [];
      const onContent = (text: string): void => void held.push(pass(holdMs).then(() => say(text)));
      await call({ body: { stream: true }, onContent });
      await Promise.all(held);
      return { text: '' };
    });
    const run = await runInside(agent, { ...load, target: { stream: true }, model: { ...model, tokenTime: '2ms' } });
    expectLedger(run, agent);
    expectParts(run);
    expectNear(run.result.latency['model.relay']?.p50Ms ?? NaN, holdMs);
    const firsts = agent.turns.map(({ calls }) => (calls[0]?.firstAt ?? 0) - (calls[0]?.begunAt ?? 0));
    expectNear(run.result.latency['model.firstToken']?.p50Ms ?? NaN, medianOf(firsts));
  });
});
