import { describe, expect, test } from 'vitest';
import { environmentProxy } from './resolve-proxy.ts';

const of = (url: string, environment: Record<string, string>): string | undefined =>
  environmentProxy(new URL(url), environment)?.url;

describe('the proxy of the environment', () => {
  test('is the variable for the scheme of the target, otherwise the one for all', () => {
    const environment = { HTTP_PROXY: 'a:1', HTTPS_PROXY: 'b:2', ALL_PROXY: 'c:3' };
    expect(of('http://host', environment)).toBe('a:1');
    expect(of('https://host', environment)).toBe('b:2');
    expect(of('https://host', { ...environment, HTTPS_PROXY: '' })).toBe('c:3');
    expect(of('https://host', {})).toBeUndefined();
  });

  test('is the lower-case variable first, and the variable is named', () => {
    const named = environmentProxy(new URL('https://host'), { HTTPS_PROXY: 'b:2', https_proxy: 'd:4' });
    expect(named).toEqual({ url: 'd:4', variable: 'https_proxy' });
  });

  test.each(['http://localhost:1', 'http://127.8.0.1', 'http://[::1]:2', 'https://localhost.'])(
    'is not for %s',
    (url) => expect(of(url, { ALL_PROXY: 'c:3' })).toBeUndefined(),
  );

  test.each([
    ['*', true],
    ['other, api.example.com', true],
    ['example.com', true],
    ['EXAMPLE.com other', true],
    ['.example.com', true],
    ['*.example.com', true],
    ['.api.example.com', false],
    ['ample.com', false],
    ['example.com:443', true],
    ['example.com:8443', false],
    ['', false],
  ])('with NO_PROXY=%s: exempt is %s', (exempt, isExempt) => {
    const url = of('https://api.example.com', { ALL_PROXY: 'c:3', no_proxy: exempt });
    expect(url === undefined).toBe(isExempt);
  });

  test.each([
    ['http://10.1.2.3', '10.0.0.0/8', true],
    ['http://11.1.2.3', '10.0.0.0/8', false],
    ['http://10.1.2.3', '10.1.2.3', true],
    ['http://10.1.2.3:81', '10.1.2.3:80', false],
    ['http://[fd00::1]', 'fd00::/8', true],
    ['http://[fd00::1]', 'fd00:0::1', true],
    ['http://[fd00::1]:81', '[fd00::1]:81', true],
    ['http://10.1.2.3', '10.0.0.0/99', false],
    ['http://10.1.2.3', 'fd00::/8', false],
    ['http://10.host.example', '10.0.0.0/8', false],
  ])('%s with NO_PROXY=%s: exempt is %s', (url, exempt, isExempt) => {
    expect(of(url, { ALL_PROXY: 'c:3', NO_PROXY: exempt }) === undefined).toBe(isExempt);
  });
});
