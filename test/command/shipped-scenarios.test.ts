import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { performCommand } from '../support/command-in-process.ts';
import { root } from '../support/command.ts';
import { runVirtually, type ServiceModel, type Witnessed } from '../support/virtual-run.ts';

/** An agent with realistic delays that repeats the question, but never earlier messages. */
const model: ServiceModel = (operation) => ({ afterMs: operation === 'create' ? 5 : 180 });

const played = new Map<string, Promise<Witnessed>>();
const playOnce = (name: string): Promise<Witnessed> => {
  const before =
    played.get(name) ?? play(name, name === 'soak.ts' ? { duration: '10m', warmUp: '2m', gracePeriod: '10m' } : {});
  played.set(name, before);
  return before;
};

const scenarioNames = (await readdir(join(root, 'scenarios'))).filter((name) => name.endsWith('.ts'));

/** Runs a shipped scenario unchanged, except for the target and features the simulated agent lacks, such as model calls. */
async function play(name: string, over: Partial<Scenario> = {}): Promise<Witnessed> {
  const module = (await import(pathToFileURL(join(root, 'scenarios', name)).href)) as { default: Scenario };
  const scenario: Partial<Scenario> = { ...module.default, integrity: 'passive', ...over };
  delete scenario.target;
  delete scenario.model;
  scenario.gates = Object.fromEntries(
    Object.entries(scenario.gates ?? {}).filter(([metric]) => !metric.startsWith('model.')),
  );
  return runVirtually(scenario, model);
}

describe('a shipped scenario runs to its end, all turns ok, and its gates have data', () => {
  test.each(scenarioNames)('%s', async (name) => {
    const { result } = await playOnce(name);
    const { books, gates } = result;
    expect(books.balanced).toBe(true);
    expect([books.turns.ok, books.turns.failed]).toEqual([books.turns.planned, 0]);
    expect(gates.filter(({ verdict }) => verdict === 'no-data')).toEqual([]);
  });
});

test('the nightly scenario has enough turns to judge p99, at a fixed rate', async () => {
  const { result, served } = await playOnce('nightly.ts');
  expect(result.latency.turn.count).toBeGreaterThan(10_000);
  expect(result.latency.turn.ok.p99Ms).not.toBeNull();
  const begun = served.filter(({ operation }) => operation === 'create').map(({ sentAt }) => Math.round(sentAt));
  expect(begun).toEqual(Array.from({ length: 3000 }, (_, session) => session * 100));
});

test('the plan of the open scenario contains the capacity that it exceeds', async () => {
  const { stdout } = await performCommand(['plan', 'scenarios/open.ts'], {}, root);
  expect(stdout.replace(/\s+/g, ' ')).toContain('at most 6 requests at once, fewer than the load needs');
  const [, turnsPerSecond = ''] = /turns in flight, (\S+) turns\/s/.exec(stdout) ?? [];
  // Six at a time, each of them 217 ms on average.
  expect(Number(turnsPerSecond)).toBeCloseTo(27.7, 1);
});
