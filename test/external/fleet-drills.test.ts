import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { childrenOf, isThere } from '../support/child-processes.ts';
import { readResult } from '../support/command.ts';
import { endless, hasBegun, openPlace, shardOf, tookOf, wait } from '../support/fleet-place.ts';
import { judged } from '../support/judge-service.ts';
import { requireRedis } from '../support/redis-server.ts';

const hasRedis = requireRedis();

const workersOf = ({ environment }: Result) => environment?.workers ?? [];

describe.runIf(hasRedis)('in a fleet', () => {
  test('a worker that never becomes ready ends the run before anything is sent, and no worker is kept by it', async () => {
    const scenario = judged("sessions: 8, turns: 2, load: { concurrency: 2 }, thinkTime: '5ms'");
    const { judge, folder, start, worker, run } = await openPlace(
      `await (process.env.HANGS && new Promise(() => {})) ?? ${scenario}`,
    );
    const hanging = start(['worker', 'scenario.mjs', '--once'], { env: { HANGS: 'yes' } });
    const other = worker();
    const running = run(2, 'out', '--ready-timeout', '6s');
    await wait(() => other.said().includes(': ready') && hanging.said().includes(': accepted'));
    const [child = 0] = await childrenOf(hanging.pid);
    const { code, stderr } = await running.ended;
    expect([code, judge.messages.length + judge.creations]).toEqual([3, 0]);
    expect(stderr).toContain(`1 shard of 2 was not ready within 6 s: ${String(tookOf(hanging))}.`);
    expect((await run(1, 'next').ended).code).toBe(0);
    expect((await hanging.ended).code).toBe(3);
    expect(isThere(child)).toBe(false);
    // They did not wait for the silence of a coordinator that has ended.
    expect(hanging.said() + other.said()).not.toContain('silent');
    const result = await readResult(join(folder, 'next'));
    expect(result.books.attempts.total).toBe(judge.messages.length);
  });

  test('a worker that is suspended is lost within 5 s, its load ends by itself, and it accepts the next run', async () => {
    const { judge, folder, worker, run } = await openPlace(endless);
    const still = worker();
    worker();
    const running = run(2);
    await wait(() => hasBegun(judge));
    const shard = tookOf(still);
    const [child = 0] = await childrenOf(still.pid);
    still.kill('SIGSTOP');
    await wait(() => running.said().includes(`Shard ${String(shard)} on`));
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    const result = await readResult(join(folder, 'out'));
    await wait(() => !isThere(child));
    const sent = judge.messages.length;
    expect(result.books.balanced).toBe(true);
    expect(workersOf(result).map(({ lost }) => lost?.reason)).toEqual(
      [0, 1].map((each) => (each === shard ? 'it sent nothing for 4.5 s' : undefined)),
    );
    expect(shardOf(judge, 1 - shard).length).toBe(workersOf(result)[1 - shard]?.turnsFinished);
    expect(new Set(judge.messages.map(({ text }) => text)).size).toBe(sent);
    // Messages of the lost shard that are not in the counts arrived after its last interval.
    const unpublished = shardOf(judge, shard).length - (workersOf(result)[shard]?.turnsFinished ?? 0);
    expect(unpublished).toBeGreaterThan(0);
    expect(sent).toBe(result.books.attempts.total + unpublished);
    still.kill('SIGCONT');
    const next = run(2, 'next', '--duration', '1s');
    expect((await next.ended).code).toBe(0);
    expect((await readResult(join(folder, 'next'))).books.attempts.total).toBe(judge.messages.length - sent);
  });

  test('a worker that is stopped during a run drains, with consistent counts, and the others continue', async () => {
    const scenario = judged("duration: '6s', turns: 4, load: { concurrency: 12 }, thinkTime: '10ms'");
    const { judge, folder, worker, run } = await openPlace(scenario);
    const stopped = worker();
    worker();
    worker();
    const running = run(3);
    await wait(() => hasBegun(judge, 3));
    const shard = tookOf(stopped);
    stopped.kill('SIGTERM');
    expect((await stopped.ended).code).toBe(0);
    const sent = { all: judge.messages.length, byShard: shardOf(judge, shard, 3).length };
    expect((await running.ended).code).toBe(4);
    expect(judge.messages.length).toBeGreaterThan(sent.all + 200);
    const result = await readResult(join(folder, 'out'));
    expect(workersOf(result).map(({ lost }) => lost?.reason)).toEqual(
      [0, 1, 2].map((each) => (each === shard ? 'it was stopped by its worker' : undefined)),
    );
    expect(result.validity.verdict).toBe('invalid');
    expect(result.validity.reasons.map(({ code }) => code)).toContain('shards_lost');
    expect(result.books).toMatchObject({ balanced: true, attempts: { total: judge.messages.length } });
    expect(result.books.sessions.lost).toBe(0);
    expect(workersOf(result).map(({ turnsFinished }) => turnsFinished)).toEqual(
      [0, 1, 2].map((each) => shardOf(judge, each, 3).length),
    );
    expect(shardOf(judge, shard, 3).length).toBe(sent.byShard);
  });
});
