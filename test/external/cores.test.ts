import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { isThere } from '../support/child-processes.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { artefactsOf, findLeaks, formsOf } from '../support/leaks.ts';
import { openStickyBalancer } from '../support/sticky-balancer.ts';
import { judged, judgedKey, openJudge, type JudgeService } from '../support/judge-service.ts';
import { patient } from '../support/deadline.ts';

const words = (judge: JudgeService, ...more: string[]): string[] => [
  ...['run', 'scenario.mjs', '--base-url', judge.baseUrl, '--out', 'out', '--quiet', ...more],
];

/** Performs a run of this scenario on several cores. */
async function runOn(judge: JudgeService, scenario: string, ...more: string[]): Promise<Ended & { result: Result }> {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const ended = await performCommand(words(judge, ...more), judgedKey, folder);
  return { ...ended, result: await readResult(join(folder, 'out')) };
}

const textsOf = ({ messages }: JudgeService): string[] => messages.map(({ text }) => text).toSorted();

const workersOf = ({ environment }: Result) => environment?.workers ?? [];

describe('a run on several cores', () => {
  test('drives the sessions of one process, once each, and its counts equal those of the service', async () => {
    const scenario = judged("sessions: 40, turns: { min: 1, max: 4 }, load: { concurrency: 8 }, thinkTime: '5ms'");
    const [alone, judge] = await Promise.all([openJudge(), openJudge()]);
    const one = await runOn(alone, scenario);
    const { code, result } = await runOn(judge, scenario, '--cores', '3');
    expect(code).toBe(0);
    expect(textsOf(judge)).toEqual(textsOf(alone));
    expect(result.books).toEqual({ ...one.result.books, checked: result.books.checked });
    expect(result.books.attempts.total).toBe(judge.messages.length);
    expect(result.books.createAttempts.total).toBe(judge.creations);
    expect(workersOf(one.result)).toEqual([]);
    expect(workersOf(result).map(({ shard }) => shard)).toEqual([0, 1, 2]);
    expect(workersOf(result).reduce((sum, { sessionsStarted }) => sum + (sessionsStarted ?? 0), 0)).toBe(40);
    expect(new Set(workersOf(result).map(({ pid }) => pid)).size).toBe(3);
    expect(result.environment?.startSkewMs).toBeGreaterThanOrEqual(0);
  });

  test('sends no more messages than maxTurns, and every one of them', async () => {
    const judge = await openJudge(1);
    const { result } = await runOn(
      judge,
      judged('sessions: 500, turns: 3, maxTurns: 100, load: { concurrency: 7 }'),
      '--cores',
      '3',
    );
    expect(judge.messages.length).toBe(100);
    expect(result.run.stop).toMatchObject({ kind: 'cap', reason: 'maxTurns (100) was reached' });
    expect(result.books.balanced).toBe(true);
  });

  test('stops on every core when the key is rejected on one', async () => {
    const judge = await openJudge();
    judge.status.message = 401;
    const { code, result } = await runOn(judge, judged("duration: '60s', load: { concurrency: 4 }"), '--cores', '2');
    expect(code).toBe(3);
    expect(result.run.stop?.kind).toBe('circuit');
    expect(result.books.attempts.total).toBe(judge.messages.length);
  });

  test('stops when every core has received only refusals', async () => {
    const judge = await openJudge(1);
    judge.status.message = 404;
    const { code, result } = await runOn(judge, judged("duration: '60s', load: { concurrency: 40 }"), '--cores', '2');
    expect(code).toBe(3);
    expect(result.run.stop).toMatchObject({
      kind: 'target_unfit',
      reason: expect.stringContaining('agent_not_found') as string,
    });
  });

  test('stops when a function of the scenario throws in one process, and reports the error', async () => {
    const scenario = judged('sessions: 30, load: { concurrency: 4 }').replace(
      'messages: [',
      "messages: [({ session }) => { if (session.number === 9) throw new Error('no ninth'); return 'x'; }, ",
    );
    const { code, stderr, result } = await runOn(await openJudge(), scenario, '--cores', '2');
    expect(code).toBe(2);
    expect(stderr).toContain('no ninth');
    expect(result.run.stop?.kind).toBe('scenario_error');
  });

  test('stops for a gate that fails on all cores together', async () => {
    const judge = await openJudge(60);
    const gates = "gates: { 'turn.p50': { gate: '< 10ms', abort: true, after: '1s' } }";
    const scenario = judged(`duration: '60s', load: { concurrency: 8 }, ${gates}`);
    const { code, result } = await runOn(judge, scenario, '--cores', '2');
    expect(code).toBe(1);
    expect(result.run.stop).toMatchObject({ kind: 'gate', reason: expect.stringContaining('turn.p50') as string });
  });

  test.each([
    ['2', judged('sessions: 4, load: { concurrency: 1 }'), /A concurrency of 1 cannot be divided among 2 shards/],
    ['0', judged('sessions: 4'), /--cores takes a whole number from 1 to 64, or auto, not '0'/],
    [
      '2',
      judged('sessions: 9, load: { concurrency: 4 }').replace("'{{session", "`${performance.now()}` + '{{session"),
      /differs from the file of the coordinator/,
    ],
  ])('sends nothing if it cannot run on %s cores: %s', async (cores, scenario, why) => {
    const judge = await openJudge();
    const folder = await makeFolder();
    await writeScenario(folder, scenario);
    const { code, stderr } = await performCommand(words(judge, '--cores', cores), judgedKey, folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
    expect(judge.messages.length + judge.creations).toBe(0);
  });
});

/** The processes of the shards of a run that was started, in the order of their shards. */
function shardsOf(pid: number | undefined): number[] {
  const found = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return found
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , parent, args]) => Number(parent) === pid && args?.includes('shard-process') === true)
    .map(([, child]) => Number(child))
    .toSorted((a, b) => a - b);
}

const endless = judged("duration: '60s', turns: 4, load: { concurrency: 12 }, thinkTime: '10ms', gracePeriod: '5s'");

/** Starts a long run on three cores, and waits until each process has run for some seconds. */
async function startOn(judge: JudgeService, scenario = endless) {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const { child, ended } = startCommand(words(judge, '--cores', '3', '--keep-journal'), {
    cwd: folder,
    env: judgedKey,
  });
  const played = (shard: number): number => judge.messages.filter(({ session }) => (session - 1) % 3 === shard).length;
  await vi.waitUntil(() => [0, 1, 2].every((shard) => played(shard) > 500), patient);
  return { folder, child, ended, played, shards: shardsOf(child.pid) };
}

describe('processes of a run on three cores', () => {
  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'one lost to %s is not replaced, and the counts include the loss',
    async (signal) => {
      const judge = await openJudge();
      const { folder, child, ended, shards } = await startOn(judge);
      const [victim = 0] = shards.slice(1);
      const at = performance.now();
      process.kill(victim, signal);
      await vi.waitUntil(() => !isThere(victim), patient);
      await pass(1500);
      child.kill('SIGINT');
      const { code, stderr } = await ended;
      expect(code).toBe(130);
      expect(stderr).toMatch(/Shard 1 on .* is lost/);
      const result = await readResult(join(folder, 'out'));
      expect(result.books.balanced).toBe(true);
      const workers = workersOf(result);
      expect(workers.map(({ lost }) => lost !== null)).toEqual([false, true, false]);
      expect(result.books.sessions.lost).toBeGreaterThan(0);
      expect(result.validity.reasons.map((reason) => reason.code)).toContain('shards_lost');
      const seen = (shard: number): number =>
        judge.messages.filter(({ session }) => (session - 1) % 3 === shard).length;
      // Every session has one owner: its turns arrived once each.
      expect(new Set(judge.messages.map(({ text }) => text)).size).toBe(judge.messages.length);
      for (const shard of [0, 2]) expect(seen(shard)).toBe(workers[shard]?.turnsFinished);
      // Messages of the lost process that are not in the counts arrived after its last interval.
      const unpublished = seen(1) - (workers[1]?.turnsFinished ?? 0);
      expect(unpublished).toBeGreaterThanOrEqual(0);
      const messages = judge.messages.length;
      expect(messages).toBe(result.books.attempts.total + unpublished);
      expect(judge.messages.filter(({ session, at: came }) => (session - 1) % 3 === 1 && came > at + 200)).toEqual([]);
    },
  );

  test('all end when the process that started them is suspended, and it then reports that it has lost them', async () => {
    const judge = await openJudge();
    const { folder, child, ended, shards } = await startOn(judge);
    child.kill('SIGSTOP');
    await vi.waitUntil(() => !shards.some(isThere), patient);
    const sent = judge.messages.length;
    child.kill('SIGCONT');
    expect((await ended).code).toBe(3);
    const result = await readResult(join(folder, 'out'));
    expect(result.run.stop?.kind).toBe('fleet_lost');
    expect(result.books.balanced).toBe(true);
    expect(result.books.attempts.total).toBeLessThanOrEqual(sent);
    expect(judge.messages.length).toBe(sent);
  });

  test('all end soon after the process that started them was killed, and its journal has their published intervals', async () => {
    const judge = await openJudge();
    const { folder, child, ended, shards } = await startOn(judge);
    child.kill('SIGKILL');
    await ended;
    await vi.waitUntil(() => !shards.some(isThere), patient);
    const sent = judge.messages.length;
    await pass(300);
    expect(judge.messages.length).toBe(sent);
    const [journal = ''] = (await readdir(join(folder, 'out'))).filter((name) => name.endsWith('.ndjson'));
    await performCommand(['recover', join('out', journal)], {}, folder);
    const result = await readResult(join(folder, 'out'));
    expect(result.run.status).toBe('recovered');
    expect(workersOf(result).map(({ shard, sessionsStarted }) => [shard, sessionsStarted])).toEqual([
      [0, null],
      [1, null],
      [2, null],
    ]);
    expect(result.books.attempts.total).toBeGreaterThan(0);
    expect(result.books.attempts.total).toBeLessThanOrEqual(sent);
  });
});

describe('processes of a run on two cores', () => {
  test('one that runs out of memory is lost with its reason, and the other continues', async () => {
    const leak = '(globalThis.kept ??= []).push(new Array(400_000).fill(session.number))';
    const scenario = judged("duration: '6s', turns: 2, load: { concurrency: 12 }, thinkTime: '10ms'").replace(
      'messages: [',
      `messages: [({ session }) => { if (session.number % 2 === 0 && session.number > 60) ${leak}; return String(session.number); }, `,
    );
    const [judge, folder] = await Promise.all([openJudge(), makeFolder()]);
    await writeScenario(folder, scenario);
    const { code, stderr } = await startCommand(words(judge, '--cores', '2'), {
      cwd: folder,
      env: { ...judgedKey, NODE_OPTIONS: '--max-old-space-size=160' },
    }).ended;
    expect(stderr).toMatch(/Shard 1 on .* is lost: its process was ended by SIGABRT\./);
    const result = await readResult(join(folder, 'out'));
    expect([code, result.validity.verdict, result.books.balanced]).toEqual([4, 'invalid', true]);
    const workers = workersOf(result);
    expect(workers.map(({ lost }) => lost?.reason)).toEqual([undefined, 'its process was ended by SIGABRT']);
    const seen = [1, 0].map((odd) => judge.messages.filter(({ session }) => session % 2 === odd));
    expect(seen[0]?.length).toBe(workers[0]?.turnsFinished);
    // Messages of the lost process that are not in the counts arrived after its last interval.
    const unpublished = (seen[1]?.length ?? 0) - (workers[1]?.turnsFinished ?? 0);
    expect(unpublished).toBeGreaterThanOrEqual(0);
    expect(judge.messages.length).toBe(result.books.attempts.total + unpublished);
    expect((seen[0]?.at(-1)?.at ?? 0) - (seen[1]?.at(-1)?.at ?? 0)).toBeGreaterThan(1000);
  });
});

test('headers of the command reach every core, as cookies and traces do, and no file contains their values', async () => {
  const balancer = await openStickyBalancer();
  const folder = await makeFolder();
  const target = "{ agentId: 'a', headers: { 'X-Turn': '{{turn.number}}' } }";
  await writeScenario(folder, `{ name: 'heads', sessions: 8, turns: 2, messages: ['Hi'], target: ${target} }`);
  const lines = ['X-Token: opaque-value-1', 'X-Session: {{session.number}}'].flatMap((line) => ['--header', line]);
  const aim = ['run', 'scenario.mjs', '--base-url', balancer.baseUrl, '--out', 'out', '--keep-journal'];
  const flags = ['--cores', '2', '--cookies', '--trace', ...lines];
  const ended = await performCommand([...aim, ...flags], judgedKey, folder);
  const result = await readResult(join(folder, 'out'));
  expect([ended.code, result.books.turns.ok, balancer.strangers]).toEqual([0, 16, 0]);
  expect(workersOf(result)).toHaveLength(2);
  const heads = balancer.heads.map(({ headers }) => headers);
  expect(new Set(heads.map((each) => each['x-token']))).toEqual(new Set(['opaque-value-1']));
  expect(new Set(heads.map((each) => `${String(each['x-session'])} ${String(each['x-turn'])}`))).toHaveLength(24);
  expect(new Set(heads.map(({ traceparent }) => traceparent))).toHaveLength(24);
  expect(findLeaks(await artefactsOf(folder, [ended]), formsOf('opaque-value-1'))).toEqual([]);
});
