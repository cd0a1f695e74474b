import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeFolder } from './command.ts';
import { unusedPort } from './http-peer.ts';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const isCi = /^(1|true)$/.test(process.env['CI'] ?? '');

/** A real Redis of a test's own, on a free port of loopback, without anything on disk. */
export interface RedisServer {
  port: number;
  url: string;
  /** Ends it at once, as a crash would. */
  stop(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
}

/** Reports whether tests with a real Redis can run; logs it if they cannot, and fails if they are required. */
export function requireRedis(): boolean {
  if (!hasRedis) console.log('Fleets are not tested: there is no redis-server here (apt-get install redis-server).');
  test.runIf(isCi)('redis-server is there in continuous integration', () => expect(hasRedis).toBe(true));
  return hasRedis;
}

export async function startRedis(words: readonly string[] = []): Promise<RedisServer> {
  const port = await unusedPort();
  const folder = await makeFolder();
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending === undefined) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGKILL');
    await ended;
  };
  const start = async (): Promise<void> => {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const started = spawn('redis-server', [...own, ...words], { stdio: 'ignore' });
    child = started;
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error(`redis-server does not take ${words.join(' ')}`);
      await delay(10);
    }
  };
  await start();
  return { port, url: `redis://127.0.0.1:${String(port)}`, stop, start };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
