import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openJobs, takeJobs } from '../../src/edge/fleet/redis/take-jobs.ts';
import { readRedisAddress } from '../../src/edge/fleet/redis/connect-redis.ts';
import { hasty, jobsOf, openRun, openWorker, until } from '../support/fleet-lab.ts';
import { requireRedis, startRedis, type RedisServer } from '../support/redis-server.ts';
import { openTcpLine, type TcpLine } from '../support/tcp-line.ts';
import { patient } from '../support/deadline.ts';

const hasRedis = requireRedis();
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe.runIf(hasRedis)('a fleet', () => {
  async function openRedis(): Promise<RedisServer> {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    return redis;
  }

  async function openLine(redis: RedisServer): Promise<TcpLine & { url: string }> {
    const line = await openTcpLine(redis.port);
    onTestFinished(() => line.close());
    return { ...line, url: `redis://127.0.0.1:${String(line.port)}` };
  }

  test('loses nothing with a Redis that goes away and returns empty', async () => {
    const redis = await openRedis();
    const line = await openLine(redis);
    const run = await openRun(line.url, jobsOf('restart', 1));
    const { children } = await openWorker(redis.url);
    await until(() => children.length === 1);
    children[0]?.count(1, 50);
    await until(() => run.heard.length === 50);
    line.cut();
    // Only in Redis: its coordinator cannot read it.
    children[0]?.count(51, 100);
    const looking = new Redis(redis.url);
    await until(() => run.shards.interruptedSince() !== undefined);
    await expect.poll(() => looking.xlen('lab:run:restart:said')).toBeGreaterThanOrEqual(50);
    looking.disconnect();
    await redis.stop();
    children[0]?.count(101, 150);
    await redis.start();
    line.mend();
    children[0]?.count(151, 200);
    await until(() => run.heard.length >= 200);
    expect(run.counted(0)).toEqual(upTo(200));
    await until(() => run.shards.interruptedSince() === undefined);
    run.shards.send({ kind: 'stop', level: 'drain' });
    await until(() => children[0]?.words.includes('drain'));
    expect(run.gone).toEqual([]);
  });

  test('drains by itself when Redis stays away, and continues to wait for the next run', async () => {
    const redis = await openRedis();
    await openRun(redis.url, jobsOf('away', 1));
    const worker = await openWorker(redis.url, {}, { patience: hasty });
    await until(() => worker.children.length === 1);
    await redis.stop();
    await until(() => worker.children[0]?.isKilled);
    expect(worker.children[0]?.words).toEqual(['play', 'drain', 'cut']);
    expect(worker.notes.filter((note) => note.includes('is interrupted'))).toHaveLength(1);
    await redis.start();
    await openRun(redis.url, jobsOf('next', 1));
    await until(() => worker.children.length === 2);
    expect(worker.children[1]?.sent[0]).toMatchObject({ job: { run: 'next' } });
  });

  test('drains by itself when its coordinator has died', async () => {
    const redis = await openRedis();
    const line = await openLine(redis);
    await openRun(line.url, jobsOf('dead', 1));
    const worker = await openWorker(redis.url, { isOnce: true }, { patience: hasty });
    await until(() => worker.children.length === 1);
    line.cut();
    await until(() => worker.children[0]?.words.includes('drain'));
    worker.children[0]?.end();
    expect(await worker.ended).toEqual(['played']);
    expect(worker.notes.join('\n')).toContain('draining: its coordinator is silent');
    line.mend();
  });

  test('ends a shard that was given up while its worker was disconnected, as soon as the worker reconnects', async () => {
    const redis = await openRedis();
    const line = await openLine(redis);
    const run = await openRun(redis.url, jobsOf('cut-off', 2));
    const far = await openWorker(line.url);
    const near = await openWorker(redis.url);
    await until(() => far.children.length + near.children.length === 2);
    const play = far.children[0]?.sent[0];
    const shard = play?.kind === 'play' ? play.job.shard.index : -1;
    line.freeze();
    far.children[0]?.count(1, 3);
    run.shards.abandon(shard);
    near.children[0]?.count(1, 3);
    await until(() => run.heard.length === 3);
    expect(far.children[0]?.isKilled).toBe(false);
    line.mend();
    await until(() => far.children[0]?.isKilled);
    expect([near.children[0]?.isKilled, run.heard.length]).toEqual([false, 3]);
  });

  test('never assigns a shard to another worker after its worker has died', async () => {
    const redis = await openRedis();
    const connection = { port: redis.port, host: '127.0.0.1' };
    const coordinators = new Redis(redis.url, { maxRetriesPerRequest: null });
    await openJobs(coordinators, 'lab', jobsOf('stalled', 1));
    // It takes the job, and its lock runs out.
    const dead = new Worker('shards', () => new Promise(() => undefined), {
      connection,
      prefix: 'lab',
      lockDuration: 200,
      skipLockRenewal: true,
      skipStalledCheck: true,
    });
    const queue = new Queue('shards', { connection, prefix: 'lab' });
    onTestFinished(async () => {
      await Promise.all([dead.close(true), queue.close()]);
      coordinators.disconnect();
    });
    await dead.waitUntilReady();
    await expect.poll(() => queue.getActiveCount()).toBe(1);
    const taken: unknown[] = [];
    const play = (job: unknown): Promise<void> => Promise.resolve(void taken.push(job));
    const taking = await takeJobs(readRedisAddress(redis.url), {
      prefix: 'lab',
      max: 1,
      play,
      note: () => undefined,
      lockMs: 200,
    });
    onTestFinished(() => taking.close());
    await expect.poll(() => queue.getJobCountByTypes('active', 'wait', 'failed'), patient).toBe(0);
    // Another job is claimed: it would have arrived after the first.
    await openJobs(coordinators, 'lab', jobsOf('after', 1));
    await until(() => taken.length > 0);
    expect(taken).toEqual(jobsOf('after', 1));
  });

  test('drains when its worker is asked to stop, and accepts nothing more', async () => {
    const redis = await openRedis();
    const run = await openRun(redis.url, jobsOf('stop', 2));
    const worker = await openWorker(redis.url);
    await until(() => worker.children.length === 1);
    worker.drain();
    await until(() => worker.children[0]?.words.includes('drain'));
    worker.cut();
    await until(() => worker.children[0]?.words.includes('cut'));
    worker.children[0]?.end();
    expect(await worker.ended).toEqual(['played']);
    expect(worker.children).toHaveLength(1);
    expect(run.heard.map(({ message }) => message.kind)).toEqual(['ended']);
  });
});
