import { describe, expect, test } from 'vitest';
import type { ModelOptions } from '../../src/scenario/scenario.ts';
import { groupBy } from '../../src/base/group-by.ts';
import { streamFaults, faultTable, type FaultOptions } from '../../src/scenario/embedded-faults.ts';
import { openAgent, type AgentTurn, type Behavior, type KnownAgent } from '../support/known-agent.ts';
import { expectLedger, expectParts, expectTraced, runInside } from '../support/inside-run.ts';

/** Every n-th call is hit; calls follow each other, so that their numbers are known. */
const every = 3;
const callTimeoutMs = 150;

const kinds = Object.keys(faultTable) as FaultOptions['kind'][];

/** Options of a kind beyond its condition. */
const details: Partial<Record<FaultOptions['kind'], object>> = {
  http: { status: 404 },
  contract: { breaks: 'missing_response' },
  stall: { for: '30ms' },
  stream_stall: { for: '30ms', afterEvents: 2 },
};

const faultOf = (kind: FaultOptions['kind']): FaultOptions =>
  ({ kind, every, ...details[kind] }) as unknown as FaultOptions;

/** Calls the model with a time limit; calls of faults in streams are streamed. */
const callOnce = ({ call }: AgentTurn, isStreamed: boolean, isRepeat = false) =>
  call({ body: { stream: isStreamed, seed: 1 }, isRepeat, signal: AbortSignal.timeout(callTimeoutMs) });

/**
 * An agent with one behavior per session. It passes a failed call on at the first attempt of the client, or at each; it
 * calls once more; or it answers as if nothing had happened.
 */
function behaveBy(isStreamed: boolean): Behavior {
  return async (turn) => {
    const way = Number(turn.text.split(' ')[0]) % 4;
    const { isComplete } = await callOnce(turn, isStreamed);
    if (isComplete || way === 0) return { text: 'Done.' };
    if (way === 1) return { text: (await callOnce(turn, isStreamed, true)).text };
    return way === 2 && turn.record.attempt > 1 ? { text: 'Done.' } : { text: 'Failed.', status: 502 };
  };
}

/** The row of the table, from the ledger and the numbers of the calls. */
function truthOf(agent: KnownAgent, kind: string) {
  const numbers = new Map(agent.calls.map((call, at) => [call, at + 1]));
  const isHit = (turn: (typeof agent.turns)[number]): boolean =>
    turn.calls.some((call) => (numbers.get(call) ?? 0) % every === 0);
  const byText = groupBy(agent.turns, ({ text }) => text);
  const hit = [...byText.values()].filter((attempts) => attempts.some(isHit));
  const ended = (wanted: (attempts: typeof agent.turns) => boolean): number => hit.filter(wanted).length;
  const failed = ended((attempts) => attempts.at(-1)?.status !== 200);
  return {
    kind,
    calls: Math.floor(agent.calls.length / every),
    turns: hit.length,
    okAtOnce: ended(([first]) => first?.status === 200),
    okAfterRetry: ended((attempts) => attempts[0]?.status !== 200 && attempts.at(-1)?.status === 200),
    failed: failed === 0 ? {} : { server_error: failed },
    abandoned: 0,
  };
}

const retry = { maxAttempts: 2, base: '1ms', jitter: 'none' } as const;

describe('the table of injected faults is what an agent of known behavior made of them', () => {
  test.for(kinds)('%s', async (kind) => {
    const isStreamed = kind in streamFaults;
    const agent = await openAgent(behaveBy(isStreamed));
    const load = { sessions: 24, turns: 1, load: { concurrency: 1 }, onFailedTurn: 'continue' } as const;
    const model: ModelOptions = { latency: '1ms', tokenTime: '0ms', faults: [faultOf(kind)] };
    const run = await runInside(agent, { ...load, retry, model });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const [row] = run.model.propagation;
    expect(run.model.propagation).toHaveLength(1);
    const { addedMs, comparedTurns } = row ?? {};
    expect(row).toEqual({ ...truthOf(agent, kind), addedMs, comparedTurns });
    expect(run.model.byOutcome.injected).toBe(Math.floor(agent.calls.length / every));
  });
});

describe('the table of injected faults', () => {
  const hits = (kind: 'rate_limited' | 'internal_error', first: number) => ({ kind, first });

  test('has a row for turns with several kinds', async () => {
    const agent = await openAgent(async ({ call }) => {
      await call();
      await call();
      return { text: 'Done.' };
    });
    const faults = [hits('rate_limited', 1), hits('internal_error', 2)];
    const run = await runInside(agent, { sessions: 8, load: { concurrency: 1 }, model: { faults } });
    expectLedger(run, agent);
    // The first turn has both kinds, the second has one.
    const counts = { okAfterRetry: 0, failed: {}, abandoned: 0 };
    expect(run.model.propagation).toMatchObject([
      { kind: 'internal_error', calls: 1, turns: 1, okAtOnce: 1, ...counts },
      { kind: 'several', calls: 2, turns: 1, okAtOnce: 1, ...counts },
    ]);
  });

  test('has a row for calls that are not attributed', async () => {
    const agent = await openAgent(async ({ call }) => ({ text: (await call()).text || 'Failed.' }), {
      forward: () => ({}),
    });
    const run = await runInside(agent, {
      sessions: 12,
      load: { concurrency: 1 },
      model: { faults: [{ kind: 'internal_error', every: 4 }] },
    });
    expect(run.model.propagation).toMatchObject([{ kind: 'unattributed', calls: 3, turns: 0, okAtOnce: 0 }]);
  });

  test('counts the turns whose user left', async () => {
    const agent = await openAgent(async ({ call, left }) => {
      await call({ signal: left });
      return { text: 'Done.' };
    });
    const run = await runInside(agent, {
      sessions: 12,
      load: { concurrency: 4 },
      abandon: { share: 1, after: '200ms' },
      model: { faults: [{ kind: 'hang', every: 3 }] },
    });
    expectLedger(run, agent);
    expectParts(run);
    const left = agent.turns.filter(({ leftAt }) => leftAt !== undefined).length;
    expect(left).toBe(4);
    const counts = { okAtOnce: 0, okAfterRetry: 0, failed: {} };
    expect(run.model.propagation).toMatchObject([{ kind: 'hang', calls: 4, turns: 4, abandoned: 4, ...counts }]);
    expect(run.model.byOutcome).toMatchObject({ injected: 4, ok: 8, cancelled: 0 });
  });

  test('shows the time that a fault adds', async () => {
    const agent = await openAgent(async ({ call }) => ({ text: (await call()).text }));
    const run = await runInside(agent, {
      sessions: 60,
      load: { concurrency: 4 },
      model: { latency: '20ms', faults: [{ kind: 'stall', for: '200ms', every: 3 }] },
    });
    expectLedger(run, agent);
    expectParts(run);
    const [row] = run.model.propagation;
    expect(row).toMatchObject({ kind: 'stall', calls: 20, turns: 20, okAtOnce: 20, comparedTurns: 20 });
    // The medians are those of buckets of 2 %.
    expect(row?.addedMs).toBeGreaterThan(200 * 0.9);
    expect(row?.addedMs).toBeLessThan(200 * 1.25);
  });
});
