import { describe, expect, test } from 'vitest';
import { sumOf } from '../../src/statistics/averages.ts';
import type { ModelOptions } from '../../src/scenario/scenario.ts';
import { groupBy } from '../../src/base/group-by.ts';
import { streamFaults, faultTable, type FaultOptions } from '../../src/scenario/embedded-faults.ts';
import { openAgent, type AgentTurn, type Behavior, type KnownAgent, type LedgerCall } from '../support/known-agent.ts';
import { expectLedger, expectParts, expectTraced, lengthOf, runInside } from '../support/inside-run.ts';

const callTimeoutMs = 150;

type Kind = FaultOptions['kind'];
const kinds = (Object.keys(faultTable) as Kind[]).filter((kind) => !kind.startsWith('socket_'));
const wholeKinds = kinds.filter((kind) => !(kind in streamFaults));
const streamKinds = kinds.filter((kind) => kind in streamFaults);
const groups = [wholeKinds, streamKinds].flatMap((all) => [
  all.filter((_, at) => at % 2 === 0),
  all.filter((_, at) => at % 2 === 1),
]);

/** Options of a kind beyond its condition. */
const details: Partial<Record<Kind, object>> = {
  http: { status: 404 },
  contract: { breaks: 'missing_response' },
  stall: { for: '30ms' },
  stream_stall: { for: '30ms', afterEvents: 2 },
};

const faultOf = (kind: Kind, every: number): FaultOptions =>
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

/** The kind that hits each call: each hits every n-th of the calls that no kind before it has hit. */
function hitsOf({ calls }: KnownAgent, group: readonly Kind[], every: number): Map<LedgerCall, Kind> {
  const seen = new Map(group.map((kind) => [kind, 0]));
  const hits = new Map<LedgerCall, Kind>();
  // Calls follow each other, so that they arrive in this order.
  for (const call of calls) {
    const kind = group.find((each) => {
      const count = (seen.get(each) ?? 0) + 1;
      seen.set(each, count);
      return count % every === 0;
    });
    if (kind !== undefined) hits.set(call, kind);
  }
  return hits;
}

/** The rows of the table, from the ledger. */
function truthOf(agent: KnownAgent, hits: ReadonlyMap<LedgerCall, Kind>) {
  const turns = [...groupBy(agent.turns, ({ text }) => text).values()].map((attempts) => ({
    hit: attempts.flatMap(({ calls }) => calls.flatMap((call) => hits.get(call) ?? [])),
    isOkAtOnce: attempts[0].status === 200,
    isOk: attempts.at(-1)?.status === 200,
  }));
  const rows = groupBy(
    turns.filter(({ hit }) => hit.length > 0),
    ({ hit: [first = '', ...others] }) => (others.every((kind) => kind === first) ? first : 'several'),
  );
  return [...rows].map(([kind, ofRow]) => {
    const failed = ofRow.filter(({ isOk }) => !isOk).length;
    return {
      kind,
      calls: sumOf(ofRow.map(({ hit }) => hit.length)),
      turns: ofRow.length,
      okAtOnce: ofRow.filter(({ isOkAtOnce }) => isOkAtOnce).length,
      okAfterRetry: ofRow.filter(({ isOk, isOkAtOnce }) => isOk && !isOkAtOnce).length,
      failed: failed === 0 ? {} : { server_error: failed },
      abandoned: 0,
      // Compared by a test of its own.
      addedMs: null,
      comparedTurns: 0,
    };
  });
}

const retry = { maxAttempts: 2, base: '1ms', jitter: 'none' } as const;
const byKind = (one: { kind: string }, other: { kind: string }): number => one.kind.localeCompare(other.kind);

describe('the table of injected faults is what an agent of known behavior made of them', () => {
  test.for(groups.map((group) => ({ group, name: group.join(', ') })))('$name', async ({ group }) => {
    const isStreamed = streamKinds.some((kind) => group.includes(kind));
    const agent = await openAgent(behaveBy(isStreamed));
    const every = group.length + 1;
    const load = { sessions: 20 * group.length, turns: 1, load: { concurrency: 1 } };
    const model: ModelOptions = { latency: '1ms', tokenTime: '0ms', faults: group.map((kind) => faultOf(kind, every)) };
    const run = await runInside(agent, { ...load, retry, model });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const hits = hitsOf(agent, group, every);
    const rows = run.model.propagation.map((row) => ({ ...row, addedMs: null, comparedTurns: 0 }));
    expect(rows.toSorted(byKind)).toEqual(truthOf(agent, hits).toSorted(byKind));
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set([...group, 'several']));
    expect(run.model.byOutcome.injected).toBe(hits.size);
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
    expectParts(run, lengthOf(run));
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
