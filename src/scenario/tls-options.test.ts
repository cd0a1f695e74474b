import { describe, expect, test } from 'vitest';
import { flagsOfPlan } from '../plan/overlay.ts';
import { resolveScenario } from '../plan/resolve-scenario.ts';
import type { TlsFileName } from '../plan/plan.ts';

const author = {
  name: 'x',
  sessions: 1,
  messages: ['a'],
  target: { baseUrl: 'https://a.example', agentId: 'a', apiKey: 'sk-test-key' },
};
const withTls = (tls: object): object => ({ ...author, target: { ...author.target, tls } });
const plain = { flags: {}, environment: {} };
const readNothing = () => ({ files: {}, problems: [] });

describe('target.tls', () => {
  test('has defaults, and is not a part of the hash', () => {
    const { plan } = resolveScenario(author, plain);
    expect(plan.target.tls).toEqual({
      ca: null,
      cert: null,
      key: null,
      pfx: null,
      serverName: null,
      minVersion: null,
      resume: true,
      insecure: false,
    });
    const other = resolveScenario(withTls({ insecure: true, minVersion: '1.3', serverName: 'b' }), plain).plan;
    expect(other.hash).toBe(plan.hash);
  });

  test.each([
    [{ 'no-resume': true }, {}],
    [{}, { CHAT_LOAD_NO_RESUME: 'true' }],
  ])('does not resume sessions with %o and %o, nor does a worker that is sent the plan', (flags, environment) => {
    const { plan } = resolveScenario(author, { flags, environment });
    expect(plan.target.tls.resume).toBe(false);
    expect(resolveScenario(author, { flags: flagsOfPlan(plan), environment: {} }).plan.target.tls.resume).toBe(false);
  });

  test.each([
    [{ cert: 'c.pem' }, 'target.tls.cert: needs its private key: target.tls.key (--key)'],
    [{ key: 'c.key' }, 'target.tls.key: needs its certificate: target.tls.cert (--cert)'],
    [{ pfx: 'c.p12', key: 'k', cert: 'c' }, 'target.tls.pfx: contains a certificate and its key'],
    [{ serverName: 'https://a.example' }, 'target.tls.serverName: expected a host name'],
    [{ serverName: '10.0.0.1' }, 'target.tls.serverName: expected a host name'],
    [{ serverName: 'a.example:443' }, 'target.tls.serverName: expected a host name'],
    [{ minVersion: '1.1' }, 'target.tls.minVersion: expected'],
    [{ cipher: 'x' }, "unknown key 'cipher'"],
    [{ passphrase: 'open sesame' }, "unknown key 'passphrase'"],
  ])('%o is rejected', (tls, words) => {
    expect(() => resolveScenario(withTls(tls), { ...plain, readTlsFiles: readNothing })).toThrow(words);
  });

  test('is named by its flag if the flag set it', () => {
    expect(() => resolveScenario(author, { flags: { cert: 'c.pem' }, environment: {} })).toThrow(
      '--cert: needs its private key',
    );
  });

  test('has its files read if they were named, with the passphrase of the environment alone', () => {
    const seen: unknown[] = [];
    const names: readonly TlsFileName[] = ['ca', 'cert', 'key'];
    const { plan, secrets } = resolveScenario(withTls({ ca: 'a.pem', cert: 'c.pem', key: 'c.key' }), {
      flags: { ca: 'b.pem' },
      environment: { CHAT_LOAD_TLS_PASSPHRASE: 'open sesame' },
      readTlsFiles: ({ tls, passphrase, isInScenario }) => {
        seen.push(tls.ca, passphrase, names.map(isInScenario));
        return { files: { passphrase: 'open sesame' }, problems: [] };
      },
    });
    expect(seen).toEqual(['b.pem', 'open sesame', [false, true, true]]);
    expect(JSON.stringify(plan)).not.toContain('sesame');
    expect(secrets.redact('the phrase is open sesame')).not.toContain('sesame');
  });
});

describe('target.resolve and target.dnsRefresh', () => {
  const withTarget = (target: object) =>
    resolveScenario({ ...author, target: { ...author.target, ...target } }, plain).plan.target;

  test('are resolved', () => {
    expect(withTarget({})).toMatchObject({ resolve: null, dnsRefreshMs: 30_000 });
    expect(withTarget({ resolve: ['a.example:443:[::1]'], dnsRefresh: '2m' })).toMatchObject({
      resolve: ['a.example:443:[::1]'],
      dnsRefreshMs: 120_000,
    });
  });

  test.each(['off', '0', 0, false])('%j disables repeated lookups', (dnsRefresh) => {
    expect(withTarget({ dnsRefresh })).toMatchObject({ dnsRefreshMs: null });
  });

  test('are rejected in another form', () => {
    expect(() => withTarget({ resolve: ['a.example:10.0.0.1'] })).toThrow(
      "target.resolve[0]: 'a.example:10.0.0.1' is not valid: expected host:port:address",
    );
    expect(() => withTarget({ dnsRefresh: 'soon' })).toThrow(
      "target.dnsRefresh: expected a duration such as '30s', or 'off'",
    );
  });
});
