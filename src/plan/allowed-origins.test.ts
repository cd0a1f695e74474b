import { describe, expect, test } from 'vitest';
import { checkOrigins, isAllowedOrigin, originText } from './host-names.ts';

const isAllowed = (url: string, { own = null, named = [] }: { own?: string | null; named?: string[] }): boolean =>
  isAllowedOrigin(new URL(url), { own, named });

describe('a machine sends its key', () => {
  test.each(['http://127.0.0.1:8080', 'https://localhost', 'http://[::1]:3000'])('to this machine: %s', (url) => {
    expect(isAllowed(url, {})).toBe(true);
  });

  test.each([
    ['https://a.example', 'https://a.example/v1', true],
    ['https://a.example:443', 'https://A.example.', true],
    ['http://a.example:80', 'http://a.example', true],
    ['https://a.example:8443/x', 'https://a.example:8443', true],
    ['http://a.example', 'https://a.example', false],
    ['http://a.example:443', 'https://a.example', false],
    ['http://a.example:8443', 'https://a.example:8443', false],
    ['https://a.example:8443', 'https://a.example', false],
    ['https://a.example', 'https://a.example:8443', false],
    ['https://a.example', 'http://a.example', false],
    ['https://b.example', 'https://a.example', false],
    ['https://a.example@b.example', 'https://a.example', false],
  ])('to %s if its own URL is %s: %j', (url, own, isSame) => {
    expect(isAllowed(url, { own })).toBe(isSame);
  });

  test.each([
    ['https://a.example', 'a.example', true],
    ['https://a.example:443', 'a.example', true],
    ['https://a.example', 'a.example:443', true],
    ['https://a.example', 'https://a.example/', true],
    ['https://a.example:8443', 'a.example', false],
    ['http://a.example', 'a.example', false],
    ['http://a.example:443', 'a.example', false],
    ['https://a.example:8443', 'a.example:8443', true],
    ['http://a.example:8443', 'a.example:8443', false],
    ['http://a.example', 'http://a.example', true],
    ['http://a.example:8080', 'http://a.example', false],
    ['http://a.example:8080', 'http://a.example:8080', true],
    ['https://a.example:8080', 'http://a.example:8080', false],
    ['https://x.a.example', '*.a.example', true],
    ['http://x.a.example', '*.a.example', false],
    ['http://x.a.example:81', 'http://*.a.example:81', true],
    ['https://[2001:db8::1]', '2001:DB8:0::1', true],
    ['http://[2001:db8::1]:81', 'http://[2001:db8::1]:81', true],
    ['socks5://a.example:1080', 'a.example:1080', false],
    ['socks5://a.example:1080', 'socks5://a.example', true],
  ])('to %s if %s is named: %j', (url, text, isNamed) => {
    expect(isAllowed(url, { named: checkOrigins([text]) as string[] })).toBe(isNamed);
  });

  test.each(['https://a.example', 'https://a.example:8443', 'http://a.example', 'http://[2001:db8::1]:8080'])(
    'to %s if its text is named',
    (url) => {
      expect(isAllowed(url, { named: [originText(new URL(url))] })).toBe(true);
    },
  );
});

test.each(['ftp://a.example', 'https://a.example/v1', 'https://me@a.example', '*', '', 'https://', 'a b'])(
  "'%s' is not an origin",
  (text) => {
    expect(() => checkOrigins([text])).toThrow('takes an origin');
  },
);
