import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, root } from '../support/command.ts';
import { localhostIdentity } from '../support/localhost-identity.ts';
import { openSocketService } from '../support/socket-service.ts';

const key = 'a-key-of-these-tests';

/** Writes a scenario over the example protocol, and returns its path. */
async function writeScenario(path = '/v1/socket'): Promise<string> {
  const file = join(await makeFolder(), 'socket.mjs');
  await writeFile(
    file,
    `export default {
  name: 'socket',
  sessions: 2,
  turns: 2,
  load: { concurrency: 2 },
  thinkTime: '10ms',
  target: {
    protocol: {
      name: 'example-socket',
      transport: 'websocket',
      connect: {
        path: '${path}',
        subprotocols: ['chat.v1', 'key.{{apiKey}}'],
        ready: ({ type }) => type === 'ready',
        sessionId: 'sessionId',
      },
      send: ({ id, message }) => ({ type: 'message', id, text: message }),
      match: 'id',
      read: { text: ({ type, text }) => (type === 'delta' ? text : undefined), end: ({ type }) => type === 'done' },
    },
  },
  messages: ['Where is my order?'],
};
`,
  );
  return file;
}

const perform = (...words: string[]) => performCommand(words, { CHAT_LOAD_API_KEY: key });

describe('a protocol over WebSocket', () => {
  const service = () => openSocketService({ subprotocol: 'chat.v1' });

  test('is played by run', async () => {
    const { baseUrl, counted } = await service();
    const { code, stdout } = await perform(
      'run',
      await writeScenario(),
      '--base-url',
      baseUrl,
      '--out',
      await makeFolder(),
    );
    expect({ code, counted }).toEqual({ code: 0, counted: { upgrades: 2, sockets: 2, messages: 4 } });
    expect(stdout).toContain('4 ok, 0 failed of 4 planned');
  });

  test('is shown by try: the upgrade, the frames sent and received, and no key', async () => {
    const { baseUrl, counted } = await service();
    const file = await writeScenario('/v1/socket?token=abc123&v=1&key={{apiKey}}');
    const { code, stdout } = await perform('try', file, '--all', '--base-url', baseUrl);
    // The conversation, and its first question again.
    expect({ code, upgrades: counted['upgrades'] }).toEqual({ code: expect.any(Number) as number, upgrades: 2 });
    for (const text of [
      `> GET ${baseUrl}/v1/socket?token=[redacted]&v=1&key=[redacted]`,
      '> Upgrade: websocket',
      '> Sec-WebSocket-Protocol: chat.v1, key.{{apiKey}}',
      '< 101 WebSocket',
      '{"type":"ready","sessionId":"s-1"}',
      `> SEND ${baseUrl}/v1/socket`,
      '"text": "Where is my order?"',
      '{"type":"done","id":"t-1"',
    ])
      expect(stdout).toContain(text);
    for (const secret of [key, 'abc123', 'Content-Length']) expect(stdout).not.toContain(secret);
  });

  test('is planned with a socket for every live session', async () => {
    const { code, stdout } = await perform('plan', await writeScenario(), '--base-url', 'http://127.0.0.1:9');
    expect({ code }).toEqual({ code: 0 });
    expect(stdout).toContain('over WebSocket');
  });

  test('cannot be played against a service with HTTP/2 alone', async () => {
    const server = createSecureServer(localhostIdentity);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const baseUrl = `https://localhost:${String((server.address() as AddressInfo).port)}`;
    const { code, stderr } = await perform('run', await writeScenario(), '--base-url', baseUrl, '--insecure');
    expect({ code }).toEqual({ code: 3 });
    expect(stderr).toContain('supports only HTTP/2, over which chat-load does not open WebSockets');
  });

  test.each([
    ['check', 'check has no rules for the protocol example-socket, because the scenario defines it.'],
    [
      'calibrate',
      'calibrate is not available for the protocol example-socket: it sends requests over HTTP, not over WebSocket.',
    ],
  ])('is rejected by %s before anything is sent', async (command, message) => {
    const { baseUrl, counted } = await service();
    const { code, stderr } = await perform(command, await writeScenario(), '--base-url', baseUrl);
    expect({ code, counted }).toEqual({ code: 2, counted: {} });
    expect(stderr).toContain(message);
  });
});

test('the example of docs/guides/websocket.md runs against the protocol that it describes', async () => {
  const service = await openSocketService({
    message: ({ say, reply }, { id }, nth) => {
      if (nth % 7 === 0) say({ type: 'error', id, code: 'rate_limited', retryAfter: 0 });
      else reply(id);
    },
  });
  const page = await readFile(join(root, 'docs/guides/websocket.md'), 'utf8');
  const folder = await makeFolder();
  const file = join(folder, 'socket.ts');
  const example = /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
  await writeFile(file, example.replace("'2s'", "'10ms'"));
  const { code, stderr } = await perform(
    ...['run', file, '--base-url', service.baseUrl, '--sessions', '10', '--out', folder],
  );
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { outcomes, concurrency } = await readResult(folder);
  const refused = Math.floor((service.counted['messages'] ?? 0) / 7);
  expect(outcomes.attempts).toMatchObject({ ok: 40, rate_limited: refused });
  expect(outcomes).toMatchObject({ reopened: 0, unsolicited: 0 });
  expect(concurrency.sockets?.max).toBeGreaterThan(0);
});
