import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { root, runCommand } from '../support/command.ts';
import { unusedPort } from '../support/http-peer.ts';
import { requireRedis, startRedis, type RedisServer } from '../support/redis-server.ts';

const hasRedis = requireRedis();
const fixture = (name: string): string => join(root, 'test/fixtures', name);
const password = 'hunter2hunter2';
const scenario = 'scenarios/smoke.ts';

async function openRedis(words: readonly string[] = []): Promise<RedisServer> {
  const redis = await startRedis(words);
  onTestFinished(() => redis.stop());
  return redis;
}

describe.runIf(hasRedis)('a worker', () => {
  const at = (port: number, identity = ''): string[] => [
    ...['worker', scenario, '--wait', '10ms', '--redis', `redis://${identity}127.0.0.1:${String(port)}`],
  ];

  test('ends with 3 if no shard arrived in time', async () => {
    const { port } = await openRedis();
    const { code, stderr } = await performCommand(at(port));
    expect(stderr).toContain(
      `Waiting for shards at redis://127.0.0.1:${String(port)}, prefix chat-load: at most 1 at once, scenarios ${scenario} in`,
    );
    expect(stderr).toContain('no shard arrived within --wait.');
    expect(code).toBe(3);
  });

  test('takes the address, the user and the password from the environment', async () => {
    const { port } = await openRedis(['--requirepass', password]);
    const [url, wrong] = [`redis://127.0.0.1:${String(port)}`, `redis://default:nothing2see@127.0.0.1:${String(port)}`];
    const identity = { CHAT_LOAD_REDIS_USERNAME: 'default', CHAT_LOAD_REDIS_PASSWORD: password };
    const ended = await performCommand(['worker', scenario, '--wait', '10ms'], {
      ...identity,
      CHAT_LOAD_REDIS_URL: wrong,
    });
    expect(ended.stderr).toContain(`Waiting for shards at ${url}`);
    expect(ended.shown).not.toMatch(/hunter2|nothing2see|default/);
  });

  test('reports that its password is wrong, without revealing it', async () => {
    const { port } = await openRedis(['--requirepass', 'another']);
    const { code, shown } = await performCommand(at(port, `default:${password}@`));
    expect(shown).toContain(`Cannot use Redis at redis://127.0.0.1:${String(port)}: WRONGPASS`);
    expect(shown).toContain('CHAT_LOAD_REDIS_PASSWORD');
    expect(shown).not.toContain('hunter2');
    expect(code).toBe(3);
  });

  test('reports missing permissions for a fleet', async () => {
    const { port } = await openRedis(['--user', 'fleet', 'on', `>${password}`, '~other:*', '+@all']);
    const words = at(port, `fleet:${password}@`).with(3, '1s');
    const { code, shown } = await performCommand(words);
    expect(shown).toContain('NOPERM');
    expect(shown).not.toContain('hunter2');
    expect(code).toBe(3);
  });

  test('ends with 3 if Redis is unreachable', async () => {
    const { code, stderr } = await performCommand(at(await unusedPort()));
    expect(stderr).toContain('ECONNREFUSED');
    expect(code).toBe(3);
  });

  test('verifies the certificate of Redis', async () => {
    const port = String(await unusedPort());
    const [key, cert] = [fixture('test-only-localhost.key.pem'), fixture('test-only-localhost.cert.pem')];
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    await openRedis(['--tls-port', port, '--tls-auth-clients', 'no', ...files]);
    const words = (host: string): string[] => [
      'worker',
      scenario,
      '--wait',
      '10ms',
      '--redis',
      `rediss://${host}:${port}`,
    ];
    const refused = await performCommand(words('localhost'));
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringMatching(/self-signed certificate/)]);
    const named = { env: { NODE_EXTRA_CA_CERTS: cert } };
    const [taken, other] = await Promise.all([
      runCommand(words('localhost'), named),
      runCommand(words('127.0.0.1'), named),
    ]);
    expect(taken.stderr).toContain(`Waiting for shards at rediss://localhost:${port}`);
    expect(other.stderr).not.toContain('Waiting');
    expect(other.code).toBe(3);
  });

  test('alone loads the packages of a fleet', async () => {
    const { port } = await openRedis();
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/preload/list-packages.mjs')).href}` };
    const packagesOf = async (words: string[]): Promise<string> => (await runCommand(words, { env })).stderr;
    expect(await packagesOf(at(port))).toMatch(/packages: .*\bioredis\b/);
    for (const words of [['--version'], ['worker', '--help'], ['run', 'scenarios/smoke.ts', '--dry-run']])
      expect(await packagesOf(words)).not.toMatch(/ioredis|cron-parser|msgpackr/);
  });
});

describe('an address of Redis', () => {
  test.each([
    ['is missing', ['worker', scenario], 'Set CHAT_LOAD_REDIS_URL'],
    ['cannot be read', ['worker', scenario, '--redis', `ada:${password}@host`], 'The address of Redis is invalid.'],
  ])('that %s is a usage error, and is not shown', async (_, words, said) => {
    const { code, shown } = await performCommand(words);
    expect(shown).toContain(said);
    expect(shown).not.toContain('hunter2');
    expect(code).toBe(2);
  });

  test.each([
    [['--allow-host', 'https://a.example/v1'], "--allow-host of a worker takes an origin, not 'https://a.example/v1'"],
    [['scenarios/none.ts'], 'scenarios/none.ts cannot be a scenario of this worker: no such file.'],
    [['scenarios/*.none'], 'scenarios/*.none cannot be a scenario of this worker: no module matches it.'],
    [['--prefix', 'a:b'], "'a:b' cannot be the prefix of keys"],
    [['--cores', '0'], "--cores takes a whole number from 1 to 64, or auto, not '0'"],
    [['--wait', '10'], "write '10s' for 10 seconds"],
  ])('does not excuse %j', async (words, said) => {
    const { code, stderr } = await performCommand(['worker', scenario, '--redis', 'redis://127.0.0.1:1', ...words]);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  });
});

test('a worker whose command line names no scenario is a usage error with the command to give', async () => {
  const { code, stderr } = await performCommand(['worker', '--redis', 'redis://127.0.0.1:1']);
  expect(stderr).toContain(
    'missing argument: <scenarios..>\nFor example: chat-load init --example smoke && chat-load worker scenarios/smoke.ts\n',
  );
  expect(code).toBe(2);
});
