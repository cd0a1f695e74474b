import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { openAuthority, requireOpenssl, type Authority, type Identity } from '../support/certificate-authority.ts';
import { makeFolder, readResult, runCommand, writeScenario, type Ended } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { openService } from '../support/reference-client.ts';

const key = { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey };
const phrase = { CHAT_LOAD_TLS_PASSPHRASE: 'open sesame' };

describe.runIf(requireOpenssl())('the options of TLS', () => {
  let authority: Authority;
  let service: Identity;
  let folder = '';
  let scenario = '';
  let baseUrl = '';

  beforeAll(async () => {
    authority = await openAuthority();
    folder = authority.folder;
    service = authority.issue('service', { names: 'DNS:localhost,DNS:agent.test', toDays: 5 });
    authority.issue('client', { toDays: 3 });
    authority.issue('other');
    authority.issue('ended', { fromDays: -9, toDays: -2 });
    authority.openssl('pkcs8', '-topk8', '-in', 'client.key', '-out', 'locked.key', '-passout', 'pass:open sesame');
    writeFileSync(join(folder, 'note.txt'), 'nothing\n');
    scenario = await writeScenario(folder, "{ name: 'tls', messages: ['Hi'], sessions: 4, turns: 2 }");
  });

  const words = (...given: string[]): string[] => {
    const target = ['--base-url', baseUrl || 'https://localhost:9', '--agent-id', embeddedDefaults.agentId];
    return [scenario, ...target, ...given];
  };
  const plan = (given: string[], env: Record<string, string> = {}): Promise<Ended> =>
    performCommand(['plan', ...words(...given)], { ...key, ...env }, folder);

  test.each<[string[], string]>([
    [['--cert', 'client.pem'], '--cert: needs its private key: target.tls.key (--key)'],
    [['--key', 'client.key'], '--key: needs its certificate: target.tls.cert (--cert)'],
    [
      ['--cert', 'client.pem', '--key', 'other.key'],
      '--key: other.key cannot be used: it is not the key of the certificate',
    ],
    [['--cert', 'client.pem', '--key', 'locked.key'], 'set its passphrase in CHAT_LOAD_TLS_PASSPHRASE'],
    [['--cert', 'ended.pem', '--key', 'ended.key'], 'the certificate expired on '],
    [['--ca', 'none.pem'], '--ca: none.pem cannot be used: no such file'],
    [['--ca', 'note.txt'], 'it must be PEM text'],
    [['--pfx', 'client.pem'], 'it is not a PKCS#12 file'],
    [['--tls-server-name', 'a b'], '--tls-server-name: expected a host name'],
    [['--tls-min-version', '1.1'], '--tls-min-version: expected'],
    [['--resolve', 'localhost:443:here'], 'expected host:port:address'],
    [['--dns-refresh', 'now'], "expected a duration such as '30s', or 'off'"],
  ])('%j ends with 2 and the remedy before anything is sent', async (given, said) => {
    const { code, stderr } = await plan(given);
    expect(stderr).toContain(said);
    expect(stderr).toContain('Nothing was sent.');
    expect(code).toBe(2);
  });

  test('a wrong passphrase is not shown', async () => {
    const { code, stderr, stdout } = await plan(['--cert', 'client.pem', '--key', 'locked.key'], {
      CHAT_LOAD_TLS_PASSPHRASE: 'open barley',
    });
    expect(stderr).toContain('the passphrase in CHAT_LOAD_TLS_PASSPHRASE does not open it');
    expect(stderr + stdout).not.toContain('barley');
    expect(code).toBe(2);
  });

  describe('of a run', () => {
    const open = async (tls: object = {}): Promise<string> => {
      const started = await openService(
        {},
        { tls: { cert: service.cert.toString(), key: service.key.toString(), ...tls } },
      );
      return started.baseUrl.replace('127.0.0.1', 'localhost');
    };

    test.each([['1'], ['2']])('take a CA and a client certificate, on %s cores', async (cores) => {
      baseUrl = await open({ requestCert: true, rejectUnauthorized: true, ca: authority.cert });
      const out = await makeFolder();
      const files = ['--ca', 'ca.pem', '--cert', 'client.pem', '--key', 'locked.key'];
      const { code, stderr, stdout } = await runCommand(['run', ...words(...files, '--cores', cores, '--out', out)], {
        cwd: folder,
        env: { ...key, ...phrase },
      });
      expect(code, stderr).toBe(0);
      const result = await readResult(out);
      expect(result.outcomes.turns.ok).toBe(8);
      expect(result.transport?.tls).toMatchObject({ isVerified: true, issuer: 'chat-load test authority' });
      const codes = result.warnings.map((warning) => warning.code);
      expect(codes.toSorted()).toEqual(['client_certificate_ends', 'target_certificate_ends']);
      expect(stderr.match(/The certificate of the target/g)).toHaveLength(1);
      expect(stderr.match(/The client certificate expires/g)).toHaveLength(1);
      expect(stdout).toContain('tls       TLSv1.3');
      expect(JSON.stringify(result) + stdout + stderr).not.toMatch(/sesame|PRIVATE KEY/);
    });

    test('are marked if no certificate is verified', async () => {
      baseUrl = await open();
      const out = await makeFolder();
      const { code, stderr, stdout } = await runCommand(['run', ...words('--insecure', '--out', out)], {
        cwd: folder,
        env: { ...key, FORCE_COLOR: '1' },
      });
      expect(code, stderr).toBe(0);
      const red = `${String.fromCharCode(27)}[31mINSECURE`;
      expect(stderr).toContain(red);
      expect(stdout).toContain(red);
      const result = await readResult(out);
      expect(result.transport?.tls?.isVerified).toBe(false);
      expect(result.warnings.map((warning) => warning.code)).toContain('certificates_not_verified');
    });

    test('are a warning if nothing is encrypted', async () => {
      baseUrl = (await openService({})).baseUrl;
      const out = await makeFolder();
      const given = ['--insecure', '--resolve', 'agent.test:443:127.0.0.1', '--out', out];
      const { code, stderr } = await runCommand(['run', ...words(...given)], { cwd: folder, env: key });
      expect(code, stderr).toBe(0);
      const { warnings, transport } = await readResult(out);
      expect(warnings.map((warning) => warning.code)).toEqual(['tls_options_unused', 'resolve_unused']);
      expect(stderr).toContain('--insecure had no effect');
      expect(stderr).not.toContain('INSECURE');
      expect(transport?.tls).toBeNull();
    });
  });
});
