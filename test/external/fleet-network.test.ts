import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { childrenOf, isThere } from '../support/child-processes.ts';
import { readResult } from '../support/command.ts';
import { endless, hasBegun, openPlace, shardOf, tookOf, wait } from '../support/fleet-place.ts';
import { judged } from '../support/judge-service.ts';
import { openNamespace, requireNamespaces } from '../support/network-namespace.ts';
import { requireRedis } from '../support/redis-server.ts';

const isPossible = [requireRedis(), requireNamespaces()].every(Boolean);
/** Which cable is for what. */
const [toTarget, toRedis] = [0, 1] as const;

describe.runIf(isPossible)('a worker in a separate network', () => {
  /** Two workers, of which one has the target on one cable and Redis on another. */
  async function openFarPlace(scenario: string) {
    const network = await openNamespace();
    const redisHost = network.hosts[toRedis];
    const place = await openPlace(scenario, {
      host: network.hosts[toTarget],
      redisWords: ['--bind', '127.0.0.1', redisHost, '--protected-mode', 'no'],
    });
    const far = place.worker({
      by: network.by,
      env: { CHAT_LOAD_REDIS_URL: `redis://${redisHost}:${String(place.redis.port)}` },
    });
    place.worker();
    return { ...place, network, far };
  }

  test('loses nothing when its connection to Redis is cut for 3 s', async () => {
    const scenario = judged("duration: '9s', turns: 3, load: { concurrency: 8 }, thinkTime: '10ms'");
    const { network, far, judge, folder, run } = await openFarPlace(scenario);
    const running = run(2);
    await wait(() => hasBegun(judge));
    await network.cut(toRedis);
    const before = shardOf(judge, tookOf(far)).length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await network.mend(toRedis);
    // The target was there all the time.
    expect(shardOf(judge, tookOf(far)).length).toBeGreaterThan(before + 50);
    expect((await running.ended).code).toBe(0);
    const result = await readResult(join(folder, 'out'));
    expect(result.environment?.workers?.map(({ lost }) => lost)).toEqual([null, null]);
    expect(result.books).toMatchObject({ balanced: true, attempts: { total: judge.messages.length } });
  });

  test('is lost within 5 s when the connection stays cut, and stops sending by itself', async () => {
    const { network, far, judge, folder, run } = await openFarPlace(endless);
    const running = run(2);
    await wait(() => hasBegun(judge));
    const shard = tookOf(far);
    const [child = 0] = await childrenOf(far.pid);
    await network.cut(toRedis);
    await wait(() => running.said().includes(`Shard ${String(shard)} on`));
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    const result = await readResult(join(folder, 'out'));
    await wait(() => far.said().includes('draining: its coordinator is silent'));
    await wait(() => !isThere(child));
    const workers = result.environment?.workers ?? [];
    expect(workers.map(({ lost }) => lost?.reason)).toEqual(
      [0, 1].map((each) => (each === shard ? 'it sent nothing for 4.5 s' : undefined)),
    );
    expect(result.books.balanced).toBe(true);
    expect(shardOf(judge, 1 - shard).length).toBe(workers[1 - shard]?.turnsFinished);
    const unpublished = shardOf(judge, shard).length - (workers[shard]?.turnsFinished ?? 0);
    expect(judge.messages.length).toBe(result.books.attempts.total + unpublished);
    expect(new Set(judge.messages.map(({ text }) => text)).size).toBe(judge.messages.length);
  });
});
