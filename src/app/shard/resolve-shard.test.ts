import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeFolder, writeScenario } from '../../../test/support/command.ts';
import { loadScenario } from '../../edge/disk/scenario/load-scenario.ts';
import { scenarioReaders } from '../../edge/disk/scenario-readers.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import { resolveScenario, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { resolveShard } from './resolve-shard.ts';

const baseUrl = 'https://agent.example.com';
let folder = '';

beforeAll(async () => {
  folder = await makeFolder();
  const own = "name: 'own', messages: ['Hi'], sessions: 2, allowHosts: ['agent.example.com']";
  await writeScenario(folder, `{ ${own}, target: { baseUrl: '${baseUrl}', agentId: 'a' } }`, 'key.mjs');
  const auth = "auth: { oauth: { tokenUrl: 'https://login.example.com/t', clientId: 'me' } }";
  await writeScenario(folder, `{ ${own}, target: { baseUrl: '${baseUrl}', agentId: 'a', ${auth} } }`, 'oauth.mjs');
  const pem = new URL('../../../test/fixtures/test-only-localhost.cert.pem', import.meta.url);
  mkdirSync(join(folder, 'files'));
  copyFileSync(pem, join(folder, 'files', 'ca.pem'));
  copyFileSync(new URL(String(pem).replace('.cert.', '.key.')), join(folder, 'files', 'key.pem'));
});

beforeEach(() => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'])
    for (const each of [name, name.toLowerCase()]) vi.stubEnv(each, undefined);
  vi.stubEnv('CHAT_LOAD_API_KEY', 'the-key-of-this-worker');
});
afterEach(() => vi.unstubAllEnvs());

/** The job of a coordinator with these flags and this environment of its own. */
async function jobWith(
  flags: Record<string, unknown>,
  { environment = {}, scenario = 'key.mjs' }: { environment?: Record<string, string>; scenario?: string } = {},
): Promise<ShardJob> {
  const author = await loadScenario(join(folder, scenario));
  const readers = scenarioReaders({ ofScenario: folder, ofCommand: folder });
  const around = { flags, environment: { CHAT_LOAD_API_KEY: 'a-key-elsewhere', ...environment }, ...readers };
  const { plan } = resolveScenario(author, around, scenario);
  return JSON.parse(
    JSON.stringify({
      run: 'r',
      shard: { index: 0, count: 2 },
      scenario,
      plan,
      sample: null,
      scenarioDigest: null,
      baseUrl,
      toolVersion: '1',
      nodeMajor: 20,
    }),
  ) as ShardJob;
}

const take = (job: ShardJob, allowHosts: string[] = []): Promise<ResolvedScenario> =>
  resolveShard(job, { folder, allowHosts, trustsTarget: false });

describe('a worker that does not trust the job', () => {
  test('runs it with its own key if nothing differs', async () => {
    const resolved = await take(await jobWith({}));
    expect(resolved.apiKey).toBe('the-key-of-this-worker');
    expect(resolved.plan.target.tls.insecure).toBe(false);
  });

  test('sends requests to no other hosts than its own scenario and its own origins name', async () => {
    const job = await jobWith({ 'allow-host': ['elsewhere.example.com'] });
    job.plan.allowHosts = ['agent.example.com', 'theirs.example.com'];
    expect((await take(job)).plan.allowHosts).toEqual(['agent.example.com']);
    const named = ['https://stream.example.com:8443'];
    expect((await take(job, named)).plan.allowHosts).toEqual(['agent.example.com', 'stream.example.com:8443']);
    const { plan } = await resolveShard(job, { folder, allowHosts: [], trustsTarget: true });
    expect(plan.allowHosts).toEqual(job.plan.allowHosts);
  });

  test.each([
    ['--insecure', { insecure: true }, 'CHAT_LOAD_INSECURE', 'true'],
    ['--ca', { ca: 'files/ca.pem' }, 'CHAT_LOAD_TLS_CA', 'files/ca.pem'],
    ['--tls-server-name', { 'tls-server-name': 'other.example.com' }, 'CHAT_LOAD_TLS_SERVER_NAME', 'other.example.com'],
    [
      '--resolve',
      { resolve: ['agent.example.com:443:192.0.2.1'] },
      'CHAT_LOAD_RESOLVE',
      'agent.example.com:443:192.0.2.1',
    ],
  ] as const)('refuses %s, unless its own environment sets the same', async (_, flags, variable, value) => {
    const job = await jobWith(flags);
    await expect(take(job)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(variable) as string,
      hint: expect.stringContaining(variable) as string,
    });
    vi.stubEnv(variable, value);
    expect((await take(job)).plan.target).toEqual(job.plan.target);
  });

  test('refuses prices that differ from its own, which it reads from its own file only', async () => {
    for (const [name, input] of Object.entries({ a: 1, b: 2, c: 1 }))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ model: { input, output: 1 } }));
    const job = await jobWith({ prices: 'a.json' });
    await expect(take(job)).rejects.toThrow('other prices');
    vi.stubEnv('CHAT_LOAD_PRICES', 'b.json');
    await expect(take(job)).rejects.toThrow('other prices');
    vi.stubEnv('CHAT_LOAD_PRICES', 'c.json');
    expect((await take(job)).script.prices?.of('model')?.[0]).toMatchObject({ input: 1_000_000 });
  });

  test('refuses a proxy that is not configured on the worker, and uses its own with its own credentials', async () => {
    const job = await jobWith({ proxy: 'http://me:theirs@proxy.example.com:3128' });
    expect(JSON.stringify(job)).not.toContain('theirs');
    await expect(take(job)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('the proxy http://proxy.example.com:3128') as string,
    });
    await expect(take(job, ['proxy.example.com:3128'])).rejects.toThrow('the proxy http://proxy.example.com:3128');
    expect((await take(job, ['http://proxy.example.com:3128'])).proxy).toMatchObject({
      name: 'http://proxy.example.com:3128',
    });
    vi.stubEnv('CHAT_LOAD_PROXY', 'http://me:own@proxy.example.com:3128');
    expect((await take(job)).proxy?.credentials).toEqual({ user: 'me', password: 'own' });
  });

  test('uses its own proxy if the job requests none, whatever its plan contains', async () => {
    vi.stubEnv('CHAT_LOAD_PROXY', 'http://own.example.com:3128');
    const job = await jobWith({});
    for (const proxy of [null, 'http://theirs.example.com:3128', 'no URL']) {
      job.plan.target.proxy = proxy;
      expect((await take(job)).proxy?.name).toBe('http://own.example.com:3128');
    }
  });

  test('cannot be made to bypass its own proxy', async () => {
    const direct = await jobWith({ proxy: 'none' });
    expect((await take(direct)).proxy).toBeUndefined();
    for (const variable of ['CHAT_LOAD_PROXY', 'HTTPS_PROXY']) {
      vi.stubEnv(variable, 'http://own.example.com:3128');
      await expect(take(direct, ['http://own.example.com:3128'])).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('requests no proxy') as string,
        hint: expect.stringContaining('CHAT_LOAD_PROXY=none') as string,
      });
      vi.stubEnv(variable, undefined);
    }
  });

  test.each(['http://127.0.0.1:18082', 'socks5h://localhost:1080', 'no URL'])(
    'refuses a proxy of a job even on this machine, unless it is named: %s',
    async (proxy) => {
      const job = await jobWith({ proxy: 'http://a' });
      job.plan.target.proxy = proxy;
      await expect(take(job, ['proxy.example.com'])).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(`requests the proxy ${proxy}`) as string,
        hint: expect.stringContaining('CHAT_LOAD_PROXY') as string,
      });
    },
  );

  test('reaches this machine directly, whatever its own proxy, and refuses a proxy to it', async () => {
    vi.stubEnv('CHAT_LOAD_PROXY', 'http://own.example.com:3128');
    for (const url of ['http://127.0.0.1:8080', 'https://localhost:8080', 'http://[::1]:8080']) {
      const here = { ...(await jobWith({ 'base-url': url })), baseUrl: url };
      expect((await take(here)).proxy).toBeUndefined();
      const through = { ...(await jobWith({ 'base-url': url, proxy: 'http://own.example.com:3128' })), baseUrl: url };
      await expect(take(through, ['http://own.example.com:3128'])).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('requests the proxy http://own.example.com:3128 to this machine') as string,
      });
    }
  });

  test('takes the files of its client certificate from its own environment alone', async () => {
    const job = await jobWith({ cert: 'files/ca.pem', key: 'files/key.pem' });
    await expect(take(job)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('CHAT_LOAD_TLS_CERT, CHAT_LOAD_TLS_KEY') as string,
    });
    vi.stubEnv('CHAT_LOAD_TLS_CERT', 'files/ca.pem');
    vi.stubEnv('CHAT_LOAD_TLS_KEY', 'files/key.pem');
    expect((await take(job)).tlsFiles?.cert?.length).toBeGreaterThan(0);
  });

  test('ignores header fields and the token command of a job', async () => {
    const job = await jobWith({});
    job.plan.options['target.headers'] = { value: ['X-Forwarded-User: admin'], from: 'flag' };
    job.plan.options['target.auth.command'] = { value: 'print-token', from: 'flag' };
    const { script, auth } = await take(job);
    expect([JSON.stringify(script.headers), auth.kind]).toEqual([expect.not.stringContaining('Forwarded'), 'key']);
  });

  test.each<[string, (plan: ShardJob['plan']) => void]>([
    ['target.messagesPath', ({ target }) => (target.messagesPath = '/internal/admin')],
    ['target.messageBody', ({ target }) => (target.messageBody = { model: 'other' })],
    ['target.localAddresses', ({ target }) => (target.localAddresses = ['192.0.2.1'])],
    [
      'target.resolve',
      ({ target, options }) => {
        options['target.resolve'] = { value: ['agent.example.com:443:192.0.2.1'], from: 'flag' };
        target.resolve = null;
      },
    ],
    ['baseUrl', ({ target }) => (target.baseUrl = 'https://other.example.com')],
    ['retry', ({ retry }) => retry[0] && (retry[0].name = 'other')],
  ])('refuses a plan that differs from the plan of its own scenario: %s', async (part, forge) => {
    const job = await jobWith({});
    forge(job.plan);
    await expect(take(job)).rejects.toMatchObject({
      code: 'usage',
      message: `the plan of the run differs from the plan of key.mjs on this worker: ${part}`,
    });
  });

  test.each(['http://agent.example.com', 'https://agent.example.com:8443', 'http://agent.example.com:443'])(
    'sends its key to no other scheme or port of the host that its scenario names: %s',
    async (url) => {
      const job = { ...(await jobWith({ 'base-url': url })), baseUrl: url };
      const refused = {
        code: 'usage',
        message: expect.stringContaining(`the target ${url}, which neither the scenario`) as string,
        hint: expect.stringContaining(`--allow-host ${url.replace('https://', '')},`) as string,
      };
      await expect(take(job)).rejects.toMatchObject(refused);
      await expect(take(job, ['agent.example.com'])).rejects.toMatchObject(refused);
      expect((await take(job, [url])).plan.target.baseUrl).toBe(url);
    },
  );

  test('refuses a Unix socket that is not configured on the worker', async () => {
    const job = await jobWith({ 'unix-socket': '/run/agent.sock' });
    await expect(take(job)).rejects.toMatchObject({ message: expect.stringContaining('/run/agent.sock') as string });
    vi.stubEnv('CHAT_LOAD_UNIX_SOCKET', '/run/agent.sock');
    expect((await take(job)).plan.target.unixSocket).toBe('/run/agent.sock');
  });

  test('refuses to authorize in another way than the run, and runs no command of the job', async () => {
    const asks = { environment: { CHAT_LOAD_TOKEN_COMMAND: 'print-token' } };
    const job = await jobWith({}, asks);
    expect(JSON.stringify(job)).not.toContain('print-token');
    await expect(take(job)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('(key) than the coordinator (command)') as string,
    });
    vi.stubEnv('CHAT_LOAD_TOKEN_COMMAND', 'own-print-token');
    expect((await take(job)).auth.tokens).toEqual({ from: 'command', line: 'own-print-token' });
    // A run that needs no command gets none.
    expect((await take(await jobWith({}))).auth.kind).toBe('key');
  });

  test('authorizes OAuth clients with its own secret', async () => {
    const there = { environment: { CHAT_LOAD_OAUTH_CLIENT_SECRET: 'a-secret-elsewhere', CHAT_LOAD_API_KEY: '' } };
    const job = await jobWith({}, { ...there, scenario: 'oauth.mjs' });
    expect(JSON.stringify(job)).not.toContain('a-secret-elsewhere');
    vi.stubEnv('CHAT_LOAD_API_KEY', undefined);
    await expect(take(job)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('CHAT_LOAD_OAUTH_CLIENT_SECRET') as string,
    });
    vi.stubEnv('CHAT_LOAD_OAUTH_CLIENT_SECRET', 'the-secret-of-this-worker');
    expect((await take(job)).auth.tokens).toMatchObject({ clientSecret: 'the-secret-of-this-worker' });
  });
});
