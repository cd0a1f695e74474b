import { execFileSync, type ChildProcess } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { publishedSeries } from '../../src/record/series.ts';
import type { Result } from '../../src/result/result.ts';
import { isThere } from '../support/child-processes.ts';
import { performCommand } from '../support/command-in-process.ts';
import { readResult, root } from '../support/command.ts';
import { endInside, expectLedger, expectParts, expectTraced, startInside } from '../support/inside-run.ts';
import { openAgent, type KnownAgent } from '../support/known-agent.ts';
import { patient } from '../support/deadline.ts';
import { waitForIntervals } from '../support/journal-intervals.ts';

/** Returns the processes that a command has forked from a module. */
function forksOf({ pid }: ChildProcess, module: string): number[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , parent, args]) => Number(parent) === pid && args?.includes(module) === true)
    .map(([, fork]) => Number(fork));
}

/** Returns the process of the model service of a run. */
function modelProcessOf(child: ChildProcess): number {
  const found = forksOf(child, 'model-process');
  expect(found).toHaveLength(1);
  return found[0] ?? 0;
}

const endless = { duration: '60s', turns: 5, load: { concurrency: 4 }, thinkTime: '5ms', gracePeriod: '2s' } as const;

/** Starts a run that goes on for long, and waits until it has lasted for some seconds. */
async function startLong(agent: KnownAgent, ...words: string[]) {
  const started = await startInside(agent, endless, words);
  await vi.waitUntil(() => agent.turns.length > 500, patient);
  return { ...started, model: modelProcessOf(started.child) };
}

const openTwice = (): Promise<KnownAgent> =>
  openAgent(async ({ call }) => {
    await call();
    const { status, text } = await call();
    return status === 200 ? { text } : { text: 'The model failed.', status: 502 };
  });

describe('the process of the model service', () => {
  test.for([
    { on: 'one core', words: [] },
    { on: 'two cores', words: ['--cores', '2'] },
  ])('makes the run invalid if it dies, on $on, and the counts of the run are kept', async ({ words }) => {
    const agent = await openTwice();
    const { child, ended, out, model } = await startLong(agent, ...words);
    process.kill(model, 'SIGKILL');
    const { code, stdout, stderr } = await ended;
    await agent.idle();
    const result = await readResult(out);
    expect(code).toBe(4);
    expect(result.run.stop).toMatchObject({ kind: 'model_lost' });
    expect(result.validity.verdict).toBe('invalid');
    expect(result.validity.reasons.map((reason) => reason.code)).toContain('model_lost');
    expect(result.validity.reasons.find((reason) => reason.code === 'model_lost')?.message).toMatch(/model service/);
    expect(result.validity.reasons.map((reason) => reason.code)).not.toContain('target_gone');
    expect(stdout + stderr).toMatch(/model service .*(SIGKILL|lost)/);
    expect(result.books).toMatchObject({ balanced: true, broken: [] });
    expect(result.books.attempts.total).toBe(agent.turns.length);
    // A reply that was on its way when the run was cut is not ok.
    const ok = agent.turns.filter(({ status }) => status === 200).length;
    expect(result.books.turns.ok).toBeLessThanOrEqual(ok);
    expect(result.books.turns.ok).toBeGreaterThanOrEqual(ok - endless.load.concurrency);
    const calls = result.model?.calls.total ?? 0;
    // The intervals that it had published.
    expect(calls).toBeGreaterThan(100);
    expect(result.model?.callsPerTurn).toMatchObject({ mean: 2, max: 2 });
    expect(calls).toBeLessThanOrEqual(agent.calls.length);
    expect(isThere(child.pid ?? 0)).toBe(false);
  });

  test('ends with a run that is killed, whose journal has the model calls of its intervals', async () => {
    const agent = await openTwice();
    const { child, ended, folder, out, model } = await startLong(agent);
    child.kill('SIGKILL');
    await ended;
    await vi.waitUntil(() => !isThere(model), patient);
    await agent.idle();
    const [journal = ''] = (await readdir(out)).filter((name) => name.endsWith('.ndjson'));
    const { code, stderr } = await performCommand(['recover', join('out', journal)], {}, folder);
    const result = await readResult(out);
    expect([0, 4], stderr).toContain(code);
    expect(result.run.status).toBe('recovered');
    expect(result.books.broken).toEqual([]);
    const { calls, callsPerTurn, attempts } = result.model ?? {};
    expect(calls?.total).toBeGreaterThan(100);
    expect(calls?.total).toBeLessThanOrEqual(agent.calls.length);
    expect(calls?.traced).toBe(calls?.total);
    expect(callsPerTurn).toMatchObject({ mean: 2, max: 2 });
    expect(attempts).toBeLessThanOrEqual(agent.turns.length);
    expect(result.latency['model.time']?.count).toBe(attempts);
  });

  test('that no longer answers makes the run invalid, and does not keep it from ending', async () => {
    const agent = await openTwice();
    const started = await startInside(agent, { ...endless, duration: '6s', timeout: '1s' });
    await vi.waitUntil(() => agent.turns.length > 100, patient);
    const model = modelProcessOf(started.child);
    process.kill(model, 'SIGSTOP');
    const { code, stderr } = await started.ended;
    agent.close();
    await agent.idle();
    const result = await readResult(started.out);
    expect(code, stderr).toBe(4);
    expect(result.run.stop).toMatchObject({ kind: 'model_lost' });
    expect(result.books).toMatchObject({ balanced: true, broken: [] });
    expect(result.books.attempts.total).toBe(agent.turns.length);
    expect(isThere(model)).toBe(false);
  });

  test('counts every call of a run that is interrupted', async () => {
    const agent = await openTwice();
    const { child, ended, out } = await startLong(agent);
    child.kill('SIGINT');
    const { code } = await ended;
    await agent.idle();
    const result = await readResult(out);
    expect(code).toBe(130);
    expect(result.books).toMatchObject({ balanced: true, broken: [] });
    expect(result.books.attempts.total).toBe(agent.turns.length);
    expect(result.model?.calls.total).toBe(agent.calls.length);
    expect(result.model?.byOutcome).toMatchObject({ ok: agent.calls.filter(({ status }) => status === 200).length });
  });
});

const withoutStatus = ({ run, ...result }: Result): object => ({ ...result, run: { ...run, status: undefined } });

describe('a shard that is lost next to the model service', () => {
  const load = { ...endless, duration: '13s', prices: { 'gpt-test': { input: 10, output: 20 } } } as const;

  test.each(['is killed', 'is suspended', 'is paused until it is lost, and goes on'])(
    'and %s costs itself alone: model calls of both are cut where their shard was',
    async (way) => {
      const agent = await openTwice();
      const started = await startInside(agent, load, ['--cores', '2', '--keep-journal']);
      let said = '';
      started.child.stderr?.on('data', (more: string) => (said += more));
      await waitForIntervals(started.out, 6);
      const [, victim = 0] = forksOf(started.child, 'shard-process').toSorted((a, b) => a - b);
      process.kill(victim, way === 'is killed' ? 'SIGKILL' : 'SIGSTOP');
      if (way.includes('paused')) {
        await vi.waitUntil(() => said.includes('is lost'), patient);
        process.kill(victim, 'SIGCONT');
      }
      const { code, stderr } = await started.ended;
      await agent.idle();
      const result = await readResult(started.out);
      expect(code, stderr).toBe(4);
      expect(result.books.broken).toEqual([]);
      expect(result.environment?.workers?.map(({ lost }) => lost !== null)).toEqual([false, true]);
      const { model, books } = result;
      expect(model?.calls.total).toBeLessThanOrEqual(agent.calls.length);
      expect(model?.callsPerTurn).toMatchObject({ mean: 2, max: 2 });
      // Every counted attempt has its calls: none of the lost shard beyond its last interval, none of the other one left out.
      expect(model?.attempts).toBe(books.attempts.total);
      const [journal = ''] = (await readdir(started.out)).filter((name) => name.endsWith('.ndjson'));
      const recovered = await performCommand(['recover', join('out', journal), '--out', 'again'], {}, started.folder);
      expect(recovered.code, recovered.stderr).toBe(4);
      expect(withoutStatus(await readResult(join(started.folder, 'again')))).toEqual(withoutStatus(result));
    },
  );

  test('and whose coordinator dies afterwards: the journal has the same time of the load and of its model calls', async () => {
    const agent = await openTwice();
    const started = await startInside(agent, { ...load, duration: '60s' }, ['--cores', '2']);
    let said = '';
    started.child.stderr?.on('data', (more: string) => (said += more));
    await vi.waitUntil(() => agent.turns.length > 300, patient);
    const [, victim = 0] = forksOf(started.child, 'shard-process').toSorted((a, b) => a - b);
    process.kill(victim, 'SIGKILL');
    await vi.waitUntil(() => said.includes('is lost'), patient);
    const before = agent.turns.length;
    await vi.waitUntil(() => agent.turns.length > before + 1000, patient);
    started.child.kill('SIGKILL');
    await started.ended;
    await agent.idle();
    const [journal = ''] = (await readdir(started.out)).filter((name) => name.endsWith('.ndjson'));
    const recovered = await performCommand(['recover', join('out', journal), '--out', 'again'], {}, started.folder);
    expect(recovered.code, recovered.stderr).toBe(4);
    const { books, model } = await readResult(join(started.folder, 'again'));
    expect(books.broken).toEqual([]);
    expect(books.attempts.total).toBeGreaterThan(300);
    expect(model?.attempts).toBe(books.attempts.total);
    expect(model?.callsPerTurn).toMatchObject({ mean: 2, max: 2 });
  });
});

test.for([
  { on: 'one core', words: [], shardCount: 0 },
  { on: 'two cores', words: ['--cores', '2'], shardCount: 2 },
])(
  'wall clocks that are set an hour forward and back change no attribution and no time, on $on',
  async ({ words, shardCount }) => {
    const agent = await openTwice();
    const setClock = pathToFileURL(join(root, 'test/preload/set-clock.mjs')).href;
    const load = { sessions: 200, turns: 5, load: { concurrency: 4 } };
    const started = await startInside(agent, load, words, { NODE_OPTIONS: `--import=${setClock}` });
    const turns = (count: number) => vi.waitUntil(() => agent.turns.length > count, { ...patient, interval: 5 });
    await turns(100);
    const model = modelProcessOf(started.child);
    const shards = forksOf(started.child, 'shard-process');
    expect(shards).toHaveLength(shardCount);
    // One after another: no two clocks of the run agree all the time.
    const clocks = [model, ...(shards.length > 0 ? shards : [started.child.pid ?? 0])];
    for (const [at, pid] of [...clocks, ...clocks].entries()) {
      process.kill(pid, 'SIGUSR2');
      await turns(200 + 100 * at);
    }
    const run = await endInside(agent, started);
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const { result, model: inside } = run;
    expect(result.generator?.clockJumpMs).toBeGreaterThan(3_590_000);
    expect(result.books.turns.ok).toBe(1000);
    expect([inside.callsPerTurn.mean, inside.orphaned.calls, inside.afterReply.calls]).toEqual([2, 0, 0]);
    // Two calls of 10 ms each, one after another.
    expect(result.latency['model.time']?.minMs).toBeGreaterThanOrEqual(20);
    for (const { name } of publishedSeries) expect(result.latency[name]?.maxMs ?? 0).toBeLessThan(60_000);
  },
);
