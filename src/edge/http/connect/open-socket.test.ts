import { once } from 'node:events';
import { createServer, type AddressInfo, type LookupFunction, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../../base/errors.ts';
import { readProxyServer } from '../../../base/proxy-server.ts';
import { openSocket } from './open-socket.ts';
import { aimSocket } from './socket-aim.ts';

describe('the local address of connections', () => {
  const from = (localAddresses?: readonly string[]): (string | undefined)[] => {
    const aim = aimSocket(new URL('http://host'), {}, { localAddresses });
    return Array.from({ length: 5 }, () => aim.nextLocalAddress());
  };

  test('is every local address in turn', () => {
    expect(from(['10.0.0.1', '10.0.0.2'])).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.1', '10.0.0.2', '10.0.0.1']);
  });

  test.each([
    ['127.0.0.2', 4],
    ['::1', 6],
    [undefined, undefined],
  ])('is %s: a host name is looked up for family %s', async (address, family) => {
    const asked: unknown[] = [];
    const lookup: LookupFunction = (_, options, tell) => {
      asked.push(options.family);
      tell(new Error('nobody is there'), []);
    };
    const aim = {
      ...aimSocket(new URL('http://host'), {}, { localAddresses: address === undefined ? [] : [address] }),
      lookup,
    };
    await new Promise((resolve, reject) => openSocket(aim, undefined, { ready: reject, failed: resolve }));
    expect(asked).toEqual([family]);
  });

  test('is left to the system without a setting', () => {
    expect(from()).toEqual(Array(5).fill(undefined));
  });
});

describe('a socket that is being opened', () => {
  const opening = async (): Promise<string[]> => {
    const server = createServer((socket) => socket.end('bye'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const heard: string[] = [];
    const opened = openSocket(aimSocket(new URL(`http://127.0.0.1:${String(port)}`)), undefined, {
      ready: (socket, address) => {
        heard.push(`ready ${address}`);
        opened.cancel();
        socket.resume().end();
      },
      failed: () => heard.push('failed'),
    });
    expect(heard).toEqual([]);
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const [peer] = await accepted;
    if (!peer.closed) await once(peer.resume(), 'close');
    server.close();
    return heard;
  };

  test('is ready once, with the address that answered, and no longer to be cancelled', async () => {
    expect(await opening()).toEqual(['ready 127.0.0.1']);
  });

  test('calls nothing once it is cancelled', async () => {
    const heard: string[] = [];
    const say = (what: string) => (): void => void heard.push(what);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const aim = aimSocket(new URL(`http://127.0.0.1:${String(port)}`));
    openSocket(aim, undefined, { ready: say('ready'), failed: say('failed') }).cancel();
    // Later than the first, so that a call would have been observed.
    await new Promise<void>((resolve) =>
      openSocket(aim, undefined, { ready: (socket) => resolve(void socket.destroy()), failed: say('failed') }),
    );
    server.close();
    expect(heard).toEqual([]);
  });
});

describe('the destination of connections', () => {
  test.each([
    ['http://host', 'host', 80, 'host:80', false],
    ['https://host', 'host', 443, 'host:443', true],
    ['http://host:8080/path', 'host', 8080, 'host:8080', false],
    ['https://[::1]:9', '::1', 9, '[::1]:9', true],
  ])('for %s', (baseUrl, host, port, place, isSecure) => {
    const aim = aimSocket(new URL(baseUrl));
    expect(aim).toMatchObject({ host, port, place });
    expect(aim.tls !== undefined).toBe(isSecure);
  });

  test('over TLS is verified by default, and asks for HTTP/1.1', () => {
    const { tls } = aimSocket(new URL('https://host'));
    expect(tls).toMatchObject({ rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] });
    const told = aimSocket(new URL('https://host'), { rejectUnauthorized: false, servername: 'inner' });
    expect(told.tls).toMatchObject({ rejectUnauthorized: false, servername: 'inner' });
  });

  test.each([
    ['https://agent.test', 'agent.test'],
    ['https://agent.test.:8443', 'agent.test'],
    ['https://127.0.0.1', undefined],
    ['https://[::1]', undefined],
  ])('over TLS asks for the name of %s: %s', (baseUrl, name) => {
    expect(aimSocket(new URL(baseUrl)).tls?.servername).toBe(name);
    const proxy = readProxyServer(baseUrl);
    expect(aimSocket(new URL('https://host'), {}, { proxy }).proxy?.tls?.servername).toBe(name);
  });

  test('is rejected with an invalid CA', () => {
    for (const ca of ['', 'no certificate', '-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n']) {
      expect(() => aimSocket(new URL('https://host'), { ca })).toThrow(ChatLoadError);
    }
  });
});
