import { onTestFinished, vi } from 'vitest';
import { makeFolder, startCommand, writeScenario, type Ended } from './command.ts';
import { judged, judgedKey, openJudge, type JudgeService } from './judge-service.ts';
import { startRedis, type RedisServer } from './redis-server.ts';
import { patient } from './deadline.ts';

/** A command that runs while a test observes it; it ends with the test. */
export interface Going {
  pid: number;
  ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  /** Returns its output on standard error. */
  said(): string;
}

/** Differences between the command of one way and the others. */
interface GoingOptions {
  env?: Record<string, string>;
  /** A program with its arguments that the command is started by. */
  by?: readonly string[];
}

/** A Redis, the service, a folder with the scenario, and commands in it. */
export interface FleetPlace {
  redis: RedisServer;
  judge: JudgeService;
  folder: string;
  start(words: readonly string[], options?: GoingOptions): Going;
  worker(options?: GoingOptions): Going;
  /**
   * Starts a run of the scenario over this number of workers; its result is written to the folder `out`, or to another.
   */
  run(shards: number, out?: string, ...more: string[]): Going;
}

interface PlaceOptions {
  /** The address of this machine that the service answers at. */
  host?: string;
  /** File system path of the socket, if it differs from the path that the command receives. */
  listen?: string;
  redisWords?: readonly string[];
}

export async function openPlace(
  scenario: string,
  { host, listen = host, redisWords }: PlaceOptions = {},
): Promise<FleetPlace> {
  const redis = await startRedis(redisWords);
  onTestFinished(() => redis.stop());
  const [judge, folder] = await Promise.all([openJudge(20, listen), makeFolder()]);
  await writeScenario(folder, scenario);
  const start: FleetPlace['start'] = (words, { env = {}, by } = {}) => {
    const { child, ended } = startCommand(words, {
      cwd: folder,
      env: { ...judgedKey, CHAT_LOAD_REDIS_URL: redis.url, ...env },
      ...(by && { by }),
    });
    let text = '';
    child.stderr?.on('data', (more: string) => (text += more));
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    return { pid: child.pid ?? 0, ended, kill: (signal) => child.kill(signal), said: () => text };
  };
  const asked = ['run', 'scenario.mjs', '--base-url', judge.baseUrl, '--fleet', '--keep-journal'];
  const allowed = host === undefined ? [] : ['--allow-host', host];
  const allowedThere = host === undefined ? [] : ['--allow-host', new URL(judge.baseUrl).origin];
  return {
    redis,
    judge,
    folder,
    start,
    worker: (options) => start(['worker', 'scenario.mjs', ...allowedThere], options),
    run: (shards, out = 'out', ...more) =>
      start([...asked, '--shards', String(shards), '--out', out, ...allowed, ...more]),
  };
}

/** Waits until a condition holds: processes start, and the machine is shared. */
export async function wait(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, patient);
}

/** The messages of the sessions of one of several shards. */
export function shardOf({ messages }: JudgeService, shard: number, of = 2): JudgeService['messages'] {
  return messages.filter(({ session }) => (session - 1) % of === shard);
}

/** The shard that a worker took last, by its output. */
export function tookOf({ said }: Going): number {
  return Number(/.*Shard (\d+) [^\n]*: accepted/s.exec(said())?.[1]);
}

/** Reports whether every shard is running. */
export function hasBegun(judge: JudgeService, of = 2): boolean {
  return Array.from({ length: of }, (_, shard) => shard).every((shard) => shardOf(judge, shard, of).length > 200);
}

/** Runs longer than a test observes it. */
export const endless = judged(
  "duration: '60s', turns: 4, load: { concurrency: 12 }, thinkTime: '10ms', gracePeriod: '5s'",
);
