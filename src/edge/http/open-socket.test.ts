import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../base/errors.ts';
import { aimSocket } from './open-socket.ts';

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
