import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readProxyServer } from '../../src/base/proxy-server.ts';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { probeConnection } from '../../src/edge/http/probe-connection.ts';
import type { SenderOptions } from '../../src/edge/http/sender/sender-options.ts';
import { openAuthority, requireOpenssl, type Authority } from '../support/certificate-authority.ts';
import { makeFolder } from '../support/command.ts';
import { judgeCa, openHeadsJudge } from '../support/heads-judge.ts';
import { openTestSender, sendOne } from '../support/http-peer.ts';
import { requireProgram, startDante, startTinyproxy } from '../support/proxies.ts';

const ca = readFileSync(judgeCa);

type Options = Partial<SenderOptions> & { baseUrl: URL };

/** Exchanges received by a target of one test, each over a route that verifies its name. */
async function expectExchanges(kind: 'https' | 'h2' | 'h2c', options: (port: number) => Partial<SenderOptions>) {
  const judge = await openHeadsJudge({ kind });
  const given: Options = {
    baseUrl: new URL(judge.baseUrl),
    tls: { ca },
    http2: kind !== 'https',
    ...options(judge.port),
  };
  const probed = await probeConnection({ clock: systemClock, connectTimeoutMs: ms(10_000), ...given });
  expect(probed.speaks).toBe(kind === 'https' ? 'http/1.1' : 'h2');
  const sender = openTestSender(judge.port, given);
  const exchanges = await Promise.all(Array.from({ length: 8 }, () => sendOne(sender)));
  for (const exchange of exchanges) expect(exchange).toMatchObject({ detail: '', failure: undefined });
  expect(judge.heads).toHaveLength(8);
  expect(new Set(judge.names)).toEqual(new Set(kind === 'h2c' ? [] : ['localhost']));
  const { transport } = { transport: sender.transport() };
  const http2 = kind === 'https' ? 0 : 8;
  expect(transport.exchanges).toEqual({ http1: 8 - http2, http2 });
  expect(transport.tls?.handshakes ?? 0).toBe(kind === 'h2c' ? 0 : judge.connections - 1);
  return { judge, transport, given };
}

const kinds = ['https', 'h2', 'h2c'] as const;

describe.runIf(requireProgram('tinyproxy', 'tinyproxy'))('a CONNECT tunnel', () => {
  test.each(kinds)('carries %s; the name is the target’s', async (kind) => {
    const { port, log } = await startTinyproxy();
    const proxy = readProxyServer(`http://127.0.0.1:${String(port)}`);
    const { transport } = await expectExchanges(kind, () => ({ proxy }));
    expect(transport.proxy).toBe(proxy.name);
    expect(await log()).toContain('CONNECT localhost:');
  });
});

describe.runIf(requireProgram('danted', 'dante-server'))('a SOCKS5 proxy', () => {
  test.each(kinds)('carries %s; the name is the target’s', async (kind) => {
    const { port } = await startDante();
    const proxy = readProxyServer(`socks5://127.0.0.1:${String(port)}`);
    const { transport } = await expectExchanges(kind, () => ({ proxy }));
    expect(transport.proxy).toBe(proxy.name);
  });
});

test.each([
  ['http', 'HTTP/1.1 200 Connection established\r\n\r\n', 1],
  ['socks5h', '\x05\0\0\x01\0\0\0\0\0\0', 2],
] as const)(
  'the first bytes of an HTTP/2 server may arrive with the answer of the proxy (%s)',
  async (scheme, answer, turn) => {
    const server = createTcpServer((socket) => {
      let turns = 0;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        turns++;
        if (turns === turn) socket.write(Buffer.concat([Buffer.from(answer, 'latin1'), settings]));
        else if (turns < turn) socket.write('\x05\0');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const proxy = readProxyServer(`${scheme}://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    const baseUrl = new URL('http://agent.internal');
    const probing = probeConnection({ clock: systemClock, connectTimeoutMs: ms(10_000), baseUrl, proxy, http2: true });
    expect(await probing).toEqual({ speaks: 'h2', tls: null });
  },
);

/** An empty frame of SETTINGS. */
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

describe('a Unix socket', () => {
  test.each(['https', 'h2'] as const)('carries %s; the name is taken from the base URL', async (kind) => {
    const unixSocket = join(await makeFolder(), 'agent.sock');
    const judge = await openHeadsJudge({ kind, unixSocket });
    const given = (host: string): Options => ({
      baseUrl: new URL(`https://${host}:8443`),
      tls: { ca },
      unixSocket,
      http2: kind === 'h2',
    });
    const sender = openTestSender(1, given('localhost'));
    for (let index = 0; index < 3; index++) expect(await sendOne(sender)).toMatchObject({ detail: '' });
    expect(judge.heads).toHaveLength(3);
    expect(judge.names).toEqual(['localhost']);
    expect(sender.transport()).toMatchObject({
      addresses: [{ address: `unix:${unixSocket}`, connections: 1, exchanges: 3 }],
      tls: { handshakes: 1, resumed: 0, isVerified: true },
    });
    const stranger = await sendOne(openTestSender(1, given('agent.internal')));
    expect(stranger).toMatchObject({ failure: 'connect_failed', detail: expect.stringContaining('agent.internal') });
  });
});

describe.runIf(requireOpenssl())('an https:// proxy', () => {
  /** Speaks TLS and opens tunnels. NODE_EXTRA_CA_CERTS is read at the start, so this process does not trust its authority. */
  const openProxy = async (authority: Authority): Promise<{ port: number; asked: string[]; names: unknown[] }> => {
    const [asked, names]: [string[], unknown[]] = [[], []];
    const { cert, key } = authority.issue('proxy', { names: 'DNS:localhost' });
    const http = createServer();
    http.on('connect', ({ url = '' }, socket: Socket) => {
      asked.push(url);
      const [host = '', port] = url.split(':');
      const onward = connectTcp(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    const server: TlsServer = createTlsServer({ cert, key }, (socket) => {
      names.push((socket as { servername?: unknown }).servername);
      http.emit('connection', socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, asked, names };
  };

  test('with an untrusted certificate is named, and receives nothing', async () => {
    const { port, asked, names } = await openProxy(await openAuthority());
    const proxy = readProxyServer(`https://me:secret@localhost:${String(port)}`);
    const judge = await openHeadsJudge({ kind: 'https' });
    const probing = probeConnection({
      clock: systemClock,
      connectTimeoutMs: ms(10_000),
      baseUrl: new URL(judge.baseUrl),
      tls: { ca },
      proxy,
    });
    await expect(probing).rejects.toMatchObject({
      code: 'environment',
      message: expect.stringMatching(/the proxy https:\/\/localhost:\d+ cannot be reached/) as string,
    });
    expect([asked, judge.heads]).toEqual([[], []]);
    expect(names.every((name) => name === 'localhost')).toBe(true);
  });
});
