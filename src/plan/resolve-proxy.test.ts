import { describe, expect, test } from 'vitest';
import { resolveScenario, type ResolvedScenario } from './resolve-scenario.ts';

const target = { baseUrl: 'https://api.example.com', agentId: 'a', apiKey: 'k' };

const resolved = (
  given: { target?: object; flags?: Record<string, unknown>; environment?: Record<string, string> } = {},
): ResolvedScenario => {
  const { flags = {}, environment = {} } = given;
  const scenario = { name: 'x', sessions: 1, messages: ['Hi'], target: { ...target, ...given.target } };
  return resolveScenario(scenario, { flags, environment });
};

describe('the proxy of a run', () => {
  test('is named in the plan without its credentials, which are secrets', () => {
    const { plan, proxy, secrets } = resolved({ flags: { proxy: 'http://me:hidden-word@proxy:3128' } });
    expect(plan.target.proxy).toBe('http://proxy:3128');
    expect(proxy?.credentials).toEqual({ user: 'me', password: 'hidden-word' });
    expect(JSON.stringify(plan)).not.toContain('hidden-word');
    expect(plan.options['target.proxy']).toEqual({ value: '(set)', from: 'flag' });
    const basic = Buffer.from('me:hidden-word').toString('base64');
    expect(secrets.redact(`a hidden-word, Basic ${basic}`)).toBe('a [secret], Basic [secret]');
  });

  test('is set by the flag, then CHAT_LOAD_PROXY, then the file, then the environment', () => {
    const environment = { CHAT_LOAD_PROXY: 'http://b', HTTPS_PROXY: 'http://d' };
    const file = { proxy: 'http://c' };
    const nameOf = (given?: Parameters<typeof resolved>[0]): string | null => resolved(given).plan.target.proxy;
    expect(nameOf({ target: file, flags: { proxy: 'http://a' }, environment })).toBe('http://a:80');
    expect(nameOf({ target: file, environment })).toBe('http://b:80');
    expect(nameOf({ target: file, environment: { HTTPS_PROXY: 'http://d' } })).toBe('http://c:80');
    expect(nameOf({ environment: { HTTPS_PROXY: 'http://d' } })).toBe('http://d:80');
    expect(nameOf({ environment, flags: { proxy: 'none' } })).toBeNull();
    expect(nameOf()).toBeNull();
  });

  test('is used for this machine and the embedded service only on request', () => {
    const environment = { ALL_PROXY: 'http://d' };
    expect(resolved({ target: { baseUrl: 'http://127.0.0.1:1' }, environment }).plan.target.proxy).toBeNull();
    expect(resolved({ target: { baseUrl: 'embedded' }, environment }).plan.target.proxy).toBeNull();
    expect(resolved({ target: { unixSocket: '/run/x' }, environment }).plan.target.proxy).toBeNull();
    expect(resolved({ target: { baseUrl: 'embedded', proxy: 'http://e' } }).plan.target.proxy).toBe('http://e:80');
  });

  test.each([
    ['http://127.0.0.1:1/t', undefined],
    ['http://localhost:1/t', undefined],
    ['https://127.0.0.1:1/t', 'http://a:80'],
    ['https://login.example.com/t', 'http://a:80'],
  ])('is also used for tokens, unless their URL has http: %s', (tokenUrl, name) => {
    const auth = { oauth: { tokenUrl, clientId: 'me', clientSecret: 'hidden-word' } };
    expect(resolved({ target: { auth }, flags: { proxy: 'http://a' } }).tokenProxy?.name).toBe(name);
  });

  test('leaves the hash of the workload unchanged', () => {
    expect(resolved({ flags: { proxy: 'http://a' } }).plan.hash).toBe(resolved().plan.hash);
    expect(resolved({ target: { unixSocket: '/run/x' } }).plan.hash).toBe(resolved().plan.hash);
  });

  test('that is not valid is refused, naming its source and none of its secrets', () => {
    expect(() => resolved({ flags: { proxy: 'ftp://me:hidden-word@proxy' } })).toThrow(/--proxy: cannot be used: ftp:/);
    expect(() => resolved({ environment: { https_proxy: 'ftp://me:hidden-word@proxy' } })).toThrow(
      /^the proxy in https_proxy cannot be used: ftp:\/\/ is not a scheme((?!hidden-word).)*$/,
    );
  });
});

describe('a Unix socket', () => {
  test.each([
    [{ unixSocket: 'run/x' }, 'target.unixSocket: expected the absolute path'],
    [{ unixSocket: `/${'x'.repeat(107)}` }, 'target.unixSocket: is 108 bytes long'],
    [{ unixSocket: '/run/x', proxy: 'http://p' }, 'no proxy'],
    [{ unixSocket: '/run/x', localAddresses: ['127.0.0.1'] }, 'from a local address'],
    [{ unixSocket: '/run/x', baseUrl: 'embedded' }, 'requires target.baseUrl'],
  ])('%j is rejected', (given, words) => {
    expect(() => resolved({ target: given })).toThrow(words);
  });

  test('is in the plan, along with a proxy that is switched off', () => {
    expect(resolved({ target: { unixSocket: '/run/x', proxy: 'none' } }).plan.target.unixSocket).toBe('/run/x');
  });
});
