import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openPeer, response } from '../support/http-peer.ts';

/** Sends 60 messages at once in a separate process with few descriptors, and returns its output. */
const sendSixtyUnderLimit = async (port: number, descriptors: number): Promise<unknown> => {
  const program = `
    const { createJiti } = await import('jiti');
    const load = createJiti('${import.meta.url}');
    const { openSender } = await load.import('../../src/edge/http/open-sender.ts');
    const { authorize, messageOf } = await load.import('../support/requests.ts');
    const { systemClock } = await load.import('../../src/edge/clock.ts');
    const sender = openSender({
      baseUrl: new URL('http://127.0.0.1:${String(port)}'), apiKey: 'key', toolVersion: '0',
      authorize, timeoutMs: 20000, connectTimeoutMs: 10000, idleConnectionMs: 4000,
      maxHeadBytes: 1024, maxBodyBytes: 1024, clock: systemClock,
    });
    const sent = Array.from({ length: 60 }, () => sender.send(messageOf('{}'), systemClock.now()));
    const exchanges = await Promise.all(sent);
    await sender.close();
    const failed = exchanges.filter(({ failure }) => failure !== undefined);
    console.log(JSON.stringify({
      classes: [...new Set(failed.map(({ failure }) => failure))],
      details: [...new Set(failed.map(({ detail }) => detail))],
      failed: failed.length,
      exhausted: sender.exhausted,
    }));`;
  const command = 'ulimit -n "$0" && exec "$1" --input-type=module -e "$2"';
  const cwd = new URL('../..', import.meta.url);
  const ended = await promisify(execFile)('sh', ['-c', command, String(descriptors), process.execPath, program], {
    cwd,
  });
  return JSON.parse(ended.stdout);
};

describe('a process that runs out of file descriptors', () => {
  test('fails to connect, reports the remedy, and counts it separately', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const told = (await sendSixtyUnderLimit(peer.port, 50)) as { failed: number };
    expect(told.failed).toBeGreaterThan(10);
    expect(told.failed).toBeLessThan(60);
    const detail = `this process has no file descriptor left (EMFILE, 127.0.0.1:${String(peer.port)}); raise the descriptor limit (ulimit -n) or lower the concurrency`;
    expect(told).toEqual({
      classes: ['connect_failed'],
      details: [detail],
      failed: told.failed,
      exhausted: { descriptorsExhausted: told.failed, portsExhausted: 0 },
    });
  });
});
