import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import { openJobs } from '../../src/edge/fleet/redis/take-jobs.ts';
import { jobsOf, openRun, openWorker, until } from '../support/fleet-lab.ts';
import { requireRedis, startRedis, type RedisServer } from '../support/redis-server.ts';

const hasRedis = requireRedis();

describe.runIf(hasRedis)('a fleet through Redis', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  const look = (): Redis => {
    const looking = new Redis(redis.url);
    onTestFinished(() => looking.disconnect());
    return looking;
  };

  test('runs each shard in one worker, and receives its messages in order', async () => {
    const run = await openRun(redis.url, jobsOf('each', 2));
    const workers = await Promise.all([openWorker(redis.url), openWorker(redis.url)]);
    await until(() => workers.every(({ children }) => children.length === 1));
    for (const { children } of workers) children[0]?.count(1, 300);
    await until(() => run.heard.length === 600);
    for (const shard of [0, 1])
      expect(run.counted(shard)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    const played = workers.map(({ children }) => children[0]?.sent[0]);
    const jobs = played.map((message) => (message?.kind === 'play' ? message.job : undefined));
    expect(jobs.toSorted((one, other) => (one?.shard.index ?? 0) - (other?.shard.index ?? 0))).toEqual(
      jobsOf('each', 2),
    );
  });

  test('sends all shards the same start on the clock of their machine, once each', async () => {
    const run = await openRun(redis.url, jobsOf('start', 2));
    const { children } = await openWorker(redis.url, { cores: 2 });
    await until(() => children.length === 2);
    const { at, instant } = run.shards.appoint(ms(5000));
    run.shards.send({ kind: 'start', at });
    run.shards.send({ kind: 'stop', level: 'drain' });
    run.shards.send({ kind: 'stop', level: 'cut' }, 1);
    await until(() => children.some(({ words }) => words.includes('cut')));
    await until(() => children.every(({ words }) => words.length > 2));
    const words = children.map((child) =>
      child.words.filter((word) => word !== 'drain' || !child.words.includes('cut')),
    );
    expect(words).toEqual(
      expect.arrayContaining([
        ['play', 'start', 'drain'],
        ['play', 'start', 'cut'],
      ]),
    );
    // Both clocks belong to this machine: the latency of Redis is in the uncertainty of both ends.
    const machineAt = instant + Number(process.hrtime.bigint()) / 1e6 - performance.now();
    for (const { sent } of children) {
      const start = sent.find((message) => message.kind === 'start');
      expect(Math.abs((start?.at ?? 0) - machineAt)).toBeLessThan(1000);
    }
  });

  test('reports the uncertainty of the clock of a shard', async () => {
    const run = await openRun(redis.url, jobsOf('clock', 1));
    const { children } = await openWorker(redis.url);
    await until(() => children.length === 1);
    children[0]?.count(1, 1);
    await until(() => run.heard.length === 1);
    expect(run.shards.clockUncertaintyMs(0)).toBeGreaterThan(0);
  });

  test('reports when the process of a shard has ended, and why', async () => {
    const run = await openRun(redis.url, jobsOf('gone', 1));
    const { children, notes } = await openWorker(redis.url);
    await until(() => children.length === 1);
    children[0]?.leave('its process was ended by SIGSEGV');
    await until(() => run.gone.length === 1);
    expect(run.gone).toEqual([{ shard: 0, reason: 'its process was ended by SIGSEGV' }]);
    await until(() => notes.some((note) => note.endsWith('gone: its process was ended by SIGSEGV')));
  });

  test('loses the shard with unreadable messages, and no other', async () => {
    const run = await openRun(redis.url, jobsOf('garbage', 2));
    const stream = 'lab:run:garbage:said';
    const entry = ['shard', '0', 'number', '1', 'clockUncertaintyMs', '0', 'said', '{"kind":"ended"'];
    await look().xadd(stream, '*', ...entry);
    await look().xadd(stream, '*', 'nonsense', '1');
    await until(() => run.gone.length === 1);
    expect(run.gone).toEqual([{ shard: 0, reason: 'its message could not be read' }]);
    expect(run.shards.interruptedSince()).toBeUndefined();
  });

  test('ends the process of a shard that is given up at once', async () => {
    const run = await openRun(redis.url, jobsOf('abandon', 2));
    const { children } = await openWorker(redis.url, { cores: 2 });
    await until(() => children.length === 2);
    run.shards.abandon(1);
    await until(() => children.some(({ isKilled }) => isKilled));
    const [left] = children.filter(({ isKilled }) => !isKilled);
    expect(left?.sent[0]).toMatchObject({ job: { shard: { index: 0 } } });
    expect(run.gone).toEqual([]);
  });

  test('leaves nothing of a run in Redis when it is closed, except its last message for a while', async () => {
    const run = await openRun(redis.url, jobsOf('closed', 3));
    const worker = await openWorker(redis.url);
    await until(() => worker.children.length === 1);
    worker.children[0]?.count(1, 5);
    await until(() => run.heard.length === 5);
    await run.shards.close();
    await until(() => worker.children[0]?.words.includes('cut'));
    worker.children[0]?.end();
    worker.drain();
    await worker.ended;
    const looking = look();
    expect(await looking.keys('lab:*closed*')).toEqual(['lab:run:closed:told']);
    expect(await looking.pttl('lab:run:closed:told')).toBeGreaterThan(0);
    expect(worker.children).toHaveLength(1);
  });

  test('shares Redis: runs of several coordinators and different prefixes are isolated', async () => {
    const runs = await Promise.all([
      openRun(redis.url, jobsOf('one', 2), 'share'),
      openRun(redis.url, jobsOf('two', 2), 'share'),
      openRun(redis.url, jobsOf('one', 2), 'other'),
    ]);
    const workers = await Promise.all(Array.from({ length: 4 }, () => openWorker(redis.url, { prefix: 'share' })));
    await until(() => workers.every(({ children }) => children.length === 1));
    for (const { children } of workers) {
      const play = children[0]?.sent[0];
      const base = play?.kind === 'play' && play.job.run === 'one' ? 100 : 200;
      children[0]?.count(base, base);
    }
    await until(() => runs.slice(0, 2).every(({ heard }) => heard.length === 2));
    const numbers = runs.map((run) => [0, 1].flatMap((shard) => run.counted(shard)));
    expect(numbers).toEqual([[100, 100], [200, 200], []]);
  });

  test('is rejected by a worker of another version, with a message, and nothing is started', async () => {
    const run = await openRun(redis.url, jobsOf('version', 1, { toolVersion: '0.0.1' }));
    const worker = await openWorker(redis.url, { isOnce: true });
    await until(() => run.heard.length === 1);
    expect(run.heard[0]?.message).toMatchObject({ kind: 'refused', code: 'usage' });
    expect(await worker.ended).toEqual(['refused']);
    expect(worker.children).toEqual([]);
    expect(worker.notes.at(-1)).toContain('the coordinator 0.0.1. Install the same version on both.');
  });

  test('is not run by a worker that takes a shard after its coordinator has died', async () => {
    // A job without a coordinator.
    await openJobs(look(), 'lab', jobsOf('late', 1));
    const worker = await openWorker(redis.url, { isOnce: true });
    expect(await worker.ended).toEqual(['refused']);
    expect(worker.children).toEqual([]);
    expect(worker.notes.at(-1)).toContain('is too late');
  });
});
