import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../base/errors.ts';
import { aimSocket, openSocket } from './open-socket.ts';

describe('where connections come from', () => {
  const from = (localAddresses?: readonly string[]): (string | undefined)[] => {
    const aim = aimSocket(new URL('http://host'), {}, localAddresses);
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
    const aim = { ...aimSocket(new URL('http://host'), {}, address === undefined ? [] : [address]), lookup };
    const { socket } = openSocket(aim, { buffer: Buffer.alloc(1), callback: () => true });
    await new Promise((resolve) => socket.once('error', resolve));
    expect(asked).toEqual([family]);
  });

  test('is left to the system where none is given', () => {
    expect(from()).toEqual(Array(5).fill(undefined));
  });
});

describe('where connections go', () => {
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
    expect(tls).not.toHaveProperty('servername');
    const told = aimSocket(new URL('https://host'), { rejectUnauthorized: false, servername: 'inner' });
    expect(told.tls).toMatchObject({ rejectUnauthorized: false, servername: 'inner' });
  });

  test('is not settled with a CA that is no certificate', () => {
    for (const ca of ['', 'no certificate', '-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n']) {
      expect(() => aimSocket(new URL('https://host'), { ca })).toThrow(ChatLoadError);
    }
  });
});
