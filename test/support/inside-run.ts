import { join } from 'node:path';
import { expect } from 'vitest';
import { sumOf } from '../../src/statistics/averages.ts';
import type { Result } from '../../src/result/result.ts';
import type { ModelOptions, Scenario, TargetOptions } from '../../src/scenario/scenario.ts';
import { makeFolder, readResult, startCommand, writeScenario, type Ended } from './command.ts';
import { unusedPort } from './http-peer.ts';
import type { KnownAgent } from './known-agent.ts';

type Model = NonNullable<Result['model']>;

/** A scenario without functions, so that it can be written to a file. */
type PlainScenario = Omit<Partial<Scenario>, 'target' | 'model'> & { target?: TargetOptions; model?: ModelOptions };

export interface InsideRun {
  ended: Ended;
  result: Result;
  model: Model;
}

/** Writes the scenario of an agent with the model service behind it to a folder of its own. */
export async function writeInside(
  agent: Pick<KnownAgent, 'baseUrl' | 'modelOrigin'>,
  { target, model, ...rest }: PlainScenario,
): Promise<{ folder: string; port: number }> {
  const port = await unusedPort();
  agent.modelOrigin = `http://127.0.0.1:${String(port)}`;
  const scenario: Scenario = {
    name: 'inside',
    messages: ['{{session.number}} {{turn.number}}'],
    integrity: false,
    retry: 'none',
    gracePeriod: '10s',
    ...rest,
    target: { protocol: 'openai-chat', agentId: 'agent', auth: 'none', baseUrl: agent.baseUrl, ...target },
    model: { port, latency: '10ms', tokenTime: '0ms', ...model },
  };
  const folder = await makeFolder();
  await writeScenario(folder, JSON.stringify(scenario));
  return { folder, port };
}

/** Starts a run of an agent with the model service behind it. */
export async function startInside(
  agent: KnownAgent,
  scenario: PlainScenario,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const { folder, port } = await writeInside(agent, scenario);
  const started = startCommand(['run', 'scenario.mjs', '--out', 'out', ...words], { cwd: folder, env });
  return { ...started, folder, out: join(folder, 'out'), port };
}

/** Runs an agent with the model service behind it, and returns the result once the agent is idle. */
export async function runInside(
  agent: KnownAgent,
  scenario: PlainScenario,
  ...words: readonly string[]
): Promise<InsideRun> {
  return endInside(agent, await startInside(agent, scenario, words));
}

/** Awaits the end of a run, and returns the result once the agent is idle. */
export async function endInside(
  agent: KnownAgent,
  { ended, out }: Awaited<ReturnType<typeof startInside>>,
): Promise<InsideRun> {
  const end = await ended;
  await agent.idle();
  const result = await readResult(out).catch((thrown: unknown) => {
    throw new Error(`there is no result: ${end.stderr}`, { cause: thrown });
  });
  const { model } = result;
  if (model == null) throw new Error('the result has no model calls');
  return { ended: end, result, model };
}

/** Expects counts that hold in every run: attempts, calls and their parts as in the ledger of the agent. */
export function expectLedger({ result, model }: InsideRun, agent: KnownAgent): void {
  const created = agent.creations.flatMap(({ calls }) => calls).length;
  expect(result.books.broken).toEqual([]);
  expect(result.books.balanced).toBe(true);
  expect(result.books.attempts.total).toBe(agent.turns.length);
  expect(model.calls.total).toBe(agent.calls.length + created);
  expect(sumOf(Object.values(model.byOutcome))).toBe(model.calls.total);
  expect(model.calls.created).toBe(created);
  expect(model.attempts + model.noCall).toBe(agent.turns.length);
  expect(model.noCall).toBe(agent.turns.filter(({ calls }) => calls.length === 0).length);
}

/**
 * Expects model time, retry wait and agent time to be the attempts, if each attempt has a call. `attemptMs`: the length of all
 * attempts, if users left some of them.
 */
export function expectParts({ result: { latency }, model }: InsideRun, attemptMs = latency.attempt.sumMs): void {
  const parts = (['model.time', 'model.retryWait', 'model.agentTime'] as const).map((name) => latency[name]);
  expect(parts.map((part) => part?.count)).toEqual([model.attempts, model.attempts, model.attempts]);
  const sumUs = sumOf(parts.map((part) => (part?.sumMs ?? 0) * 1000));
  expect(Math.abs(sumUs - attemptMs * 1000)).toBeLessThanOrEqual(model.attempts);
}

/** Returns the length of all attempts of a run of few turns, which are all among its slowest. */
export function lengthOf({ model }: InsideRun): number {
  return sumOf((model.slowTurns ?? []).flatMap(({ attempts }) => attempts.map(({ durationMs }) => durationMs)));
}

/** Expects every call to be attributed by its trace. */
export function expectTraced({ model }: InsideRun): void {
  const { total, created } = model.calls;
  expect(model.calls).toEqual({ total, created, traced: total - created, matched: 0, unattributed: 0 });
  expect(model.attributedShare).toBe(1);
}
