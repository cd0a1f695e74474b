import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startPinned } from '../pinned.ts';

/** A private Redis server without persistence. */
export interface RedisServer {
  url: string;
  pid: number;
  look: Redis;
}

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** Starts a Redis on the target's core and a free loopback port, passes it to `use`, and stops it. */
export async function withRedis<Value>(folder: string, use: (redis: RedisServer) => Promise<Value>): Promise<Value> {
  const port = await freePort();
  const child = startPinned(
    'target',
    [
      'redis-server',
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      folder,
    ],
    { stdio: 'ignore' },
  );
  const look = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null });
  look.on('error', () => undefined);
  try {
    for (let tries = 0; look.status !== 'ready'; tries++) {
      if (tries === maxTries) throw new Error('redis-server does not answer');
      await look.connect().catch(() => pass(50));
    }
    return await use({ url: `redis://127.0.0.1:${String(port)}`, pid: child.pid ?? 0, look });
  } finally {
    look.disconnect();
    child.kill();
  }
}

const maxTries = 100;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
