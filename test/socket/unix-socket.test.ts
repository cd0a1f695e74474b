import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { openPoster } from '../../src/edge/http/open-poster.ts';
import { probeConnection } from '../../src/edge/http/probe-connection.ts';
import { makeFolder, removeFolders } from '../support/command.ts';
import { openTestSender, testSenderOptions, sendOne } from '../support/http-peer.ts';
import { authorize, messageOf } from '../support/requests.ts';

afterAll(removeFolders);

const baseUrl = new URL('http://agent.internal:8080/prefix');

/** Opens a target on a socket, and records the requests it receives. */
const openTarget = async (close = false): Promise<{ unixSocket: string; asked: string[] }> => {
  const unixSocket = join(await makeFolder(), 'agent.sock');
  const asked: string[] = [];
  const server = createHttpServer((request, response) => {
    asked.push(`${request.headers.host ?? ''}${request.url ?? ''}`);
    if (close) response.setHeader('Connection', 'close');
    request.resume().once('end', () => response.end('{"ok":true}'));
  });
  await new Promise<void>((resolve) => server.listen(unixSocket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { unixSocket, asked };
};

const probe = (unixSocket: string): Promise<unknown> =>
  probeConnection({ baseUrl, unixSocket, clock: systemClock, connectTimeoutMs: ms(5000) });

test.each([false, true])('exchanges by a Unix socket are counted as the target does (closing %s)', async (close) => {
  const { unixSocket, asked } = await openTarget(close);
  await probe(unixSocket);
  const sender = openTestSender(1, { baseUrl, unixSocket });
  for (let index = 0; index < 5; index++)
    expect(await sendOne(sender)).toMatchObject({ status: 200, body: '{"ok":true}', reused: !close && index > 0 });
  expect(asked).toHaveLength(5);
  expect(new Set(asked).size).toBe(1);
  expect(asked[0]).toMatch(/^agent\.internal:8080\/prefix\//);
  expect(sender.transport()).toMatchObject({
    proxy: null,
    exchanges: { http1: 5 },
    addresses: [{ address: `unix:${unixSocket}`, connections: close ? 5 : 1, exchanges: 5 }],
  });
});

test('a check goes by it, too', async () => {
  const { unixSocket, asked } = await openTarget();
  const post = openPoster({
    ...testSenderOptions(0, { authorize, baseUrl, unixSocket }),
    keys: { good: 'k', wrong: 'w', wrong_kind: 'v' },
  });
  const { route } = messageOf('{}');
  expect(await post({ route, key: 'good', body: '{}' })).toMatchObject({ status: 200, body: '{"ok":true}' });
  expect(asked).toHaveLength(1);
});

test('a path without a listener is rejected before the start, with the reason', async () => {
  const folder = await makeFolder();
  const [missing, file, left] = ['missing', 'file', 'left'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(file, '');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(left, resolve));
  await expect(probe(missing)).rejects.toMatchObject({
    code: 'environment',
    message: expect.stringContaining(`the Unix socket does not exist (ENOENT, ${missing})`) as string,
    hint: expect.stringContaining('--unix-socket') as string,
  });
  await expect(probe(file)).rejects.toMatchObject({
    message: expect.stringContaining(
      `no process listens on the Unix socket, or it is not a socket (ECONNREFUSED, ${file})`,
    ) as string,
  });
  await expect(probe(folder)).rejects.toMatchObject({ message: expect.stringContaining(folder) as string });
  await new Promise((resolve) => server.close(resolve));
  const exchange = await sendOne(openTestSender(1, { baseUrl, unixSocket: left }));
  expect(exchange).toMatchObject({ failure: 'connect_failed' });
  expect(exchange.detail).toContain(left);
});
