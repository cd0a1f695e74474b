import { describe, expect, test } from 'vitest';
import { refusedHost } from './host-names.ts';
import { resolveScenario } from './resolve-scenario.ts';

const planned = (baseUrl: string, allowHosts: readonly string[] = []) =>
  resolveScenario(
    { name: 'x', sessions: 1, messages: ['Hi'], allowHosts, target: { baseUrl, agentId: 'a', apiKey: 'k' } },
    { flags: {}, environment: {} },
  ).plan;

describe('the guard over hosts', () => {
  test.each([
    'http://127.0.0.1:8080',
    'http://127.8.9.10',
    'http://127.1:80/api',
    'http://0x7f000001/',
    'https://localhost/',
    'https://LOCALHOST.:9443/',
    'http://[::1]:3000',
    'http://[0:0:0:0:0:0:0:1]/',
  ])('allows %s, a loopback address', (baseUrl) => {
    expect(refusedHost(planned(baseUrl))).toBeUndefined();
  });

  test.each([
    ['https://api.example.com/v1', 'api.example.com'],
    ['https://api.example.com:8443/', 'api.example.com:8443'],
    ['http://10.0.0.1', '10.0.0.1'],
    ['http://0.0.0.0:80', '0.0.0.0'],
    ['http://128.0.0.1', '128.0.0.1'],
    ['http://[::2]', '[::2]'],
    ['http://[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ['http://localhost.example.com', 'localhost.example.com'],
    ['http://127.0.0.1.example.com', '127.0.0.1.example.com'],
    ['http://127.0.0.1@example.com/', 'example.com'],
  ])('refuses %s unless it is named', (baseUrl, host) => {
    expect(refusedHost(planned(baseUrl))).toBe(host);
    expect(refusedHost(planned(baseUrl, ['other.example']))).toBe(host);
    expect(refusedHost(planned(baseUrl, [host]))).toBeUndefined();
  });

  test.each([
    ['https://API.Example.com', 'api.example.COM', true],
    ['https://api.example.com', '*.example.com', true],
    ['https://a.b.example.com', '*.example.com', true],
    ['https://example.com', '*.example.com', false],
    ['https://badexample.com', '*.example.com', false],
    ['https://api.example.com.evil.test', '*.example.com', false],
    ['https://api.example.com', 'example.com', false],
    ['https://api.example.com', 'api.example.com:443', true],
    ['http://api.example.com', 'api.example.com:80', true],
    ['http://api.example.com', 'api.example.com:443', false],
    ['https://api.example.com:8443', 'api.example.com', true],
    ['https://api.example.com:8443', '*.example.com:8443', true],
    ['https://api.example.com:8444', '*.example.com:8443', false],
    ['http://[2001:db8::1]:81', '2001:DB8:0::1', true],
    ['http://[2001:db8::1]:81', '[2001:db8::1]:81', true],
    ['http://[2001:db8::1]:82', '[2001:db8::1]:81', false],
  ])('%s is named by %s: %j', (baseUrl, pattern, isNamed) => {
    expect(refusedHost(planned(baseUrl, [pattern])) === undefined).toBe(isNamed);
  });

  test.each(['https://api.example.com', 'api.example.com/v1', '*', '*.*', '', 'a b', 'api.example.com:port'])(
    "does not accept '%s' as a host",
    (pattern) => {
      expect(() => planned('http://localhost', [pattern])).toThrow('expected a host such as');
    },
  );

  test('does not apply to the embedded service', () => {
    const { plan } = resolveScenario({ name: 'x', sessions: 1, messages: ['Hi'] }, { flags: {}, environment: {} });
    expect(refusedHost(plan)).toBeUndefined();
  });
});

test('an address that stands in for a name of this machine is rejected unless it is loopback, or named', () => {
  const refused = (address: string, allowHosts: string[] = []): string | undefined => {
    const plan = planned('http://localhost:8080', allowHosts);
    return refusedHost({ ...plan, target: { ...plan.target, resolve: [`localhost:8080:${address}`] } });
  };
  expect(refused('127.0.0.2')).toBeUndefined();
  expect(refused('10.0.0.5')).toBe('10.0.0.5');
  expect(refused('10.0.0.5', ['10.0.0.5'])).toBeUndefined();
});
