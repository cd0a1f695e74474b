import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, writeScenario } from '../support/command.ts';
import { firstField, readManifest } from '../support/fleet-resources.ts';

const away = { CHAT_LOAD_BASE_URL: 'http://agent.example:8080', CHAT_LOAD_ALLOW_HOSTS: 'agent.example' };
const key = 'sk-of-the-environment';
const body = `{ name: 'Long Evening', sessions: 40, messages: ['Hi'], target: { agentId: 'a' } }`;

/** 100,000 turns/s; one process sends 50,000. */
const heavy = `{ name: 'x', duration: '1m', turns: 1, load: { sessionsPerSecond: 100_000 }, messages: ['Hi'], target: { agentId: 'a' } }`;

interface Asked {
  /** `null`: the flag is omitted. */
  shards?: string | null;
  words?: readonly string[];
  env?: Readonly<Record<string, string>>;
  text?: string;
  path?: string;
  cwd?: string;
}

/** Generates the manifest of a scenario in a separate folder. */
async function manifest({ shards = '4', words = [], env = away, text = body, path = 'scenario.mjs', cwd }: Asked = {}) {
  const folder = cwd ?? (await makeFolder());
  if (cwd === undefined) await writeScenario(folder, text);
  const asked = ['fleet', 'manifest', path, ...(shards === null ? [] : ['--shards', shards]), ...words];
  return { folder, ...(await performCommand(asked, env, folder)) };
}

describe('fleet manifest', () => {
  test('prints the same manifest every time, which runs the scenario, and needs no key', async () => {
    const { code, stdout, stderr, folder } = await manifest();
    expect([code, stderr]).toEqual([0, '']);
    expect(readManifest(stdout).map(({ kind, name }) => `${kind} ${name.replace(/-[0-9a-f]{6}/, '')}`)).toEqual([
      'NetworkPolicy chat-load-long-evening-players',
      'NetworkPolicy chat-load-long-evening-redis',
      'ConfigMap chat-load-long-evening-scenario',
      'Deployment chat-load-long-evening-redis',
      'Service chat-load-long-evening-redis',
      'Job chat-load-long-evening-workers',
      'Job chat-load-long-evening-coordinator',
    ]);
    expect((await manifest({ cwd: folder, env: { ...away, CHAT_LOAD_API_KEY: key } })).stdout).toBe(stdout);
  });

  test.each([
    ['two of a load that one process can send', body, [], 2],
    ['the processes that the load needs, at three quarters of their capacity', heavy, ['--reply-time', '100ms'], 3],
    ['no more than the load can be dealt to', `{ ...${body}, sessions: 1 }`, [], 1],
  ])('without --shards has the workers that plan names: %s', async (_, text, words, workers) => {
    const { code, stdout, stderr } = await manifest({ shards: null, text, words });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`on ${String(workers)} worker`);
    const jobs = readManifest(stdout).filter(({ kind }) => kind === 'Job');
    expect(jobs.map(({ json }) => firstField(json, 'completions'))).toContain(workers);
  });

  test('puts every resource into the namespace, under the name, with the requested image', async () => {
    const words = [
      '--namespace',
      'load',
      '--name',
      'night-1',
      '--image',
      'registry.example:5000/load/chat-load@sha256:12',
    ];
    const read = readManifest((await manifest({ words })).stdout);
    expect(read.map(({ json }) => firstField(json, 'namespace'))).toEqual(read.map(() => 'load'));
    expect(read.filter(({ name }) => !name.startsWith('night-1-'))).toEqual([]);
    const jobs = read.filter(({ kind }) => kind === 'Job');
    expect(jobs.map(({ json }) => firstField(json, 'image'))).toEqual([words[5], words[5]]);
  });

  test.each([
    {
      named: 'a list',
      file: 'names.csv',
      holds: 'name\r\nAda\r\nGr\tace \u202eecarG\r\n',
      says: `sessions: 9, messages: ['{{pick people.name}}'], data: { people: { file: 'data/names.csv' } }`,
      words: ['--concurrency', '5', '--duration', '2m'],
    },
    {
      named: 'conversations',
      file: 'talks.jsonl',
      holds: '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}\n'.repeat(9),
      says: `sessions: 9, messages: { file: 'data/talks.jsonl' }`,
      words: ['--concurrency', '5', '--duration', '2m'],
    },
    {
      named: 'a trace',
      file: 'trace.csv',
      holds: `Timestamp,Request tokens,Response tokens\n1,9,9\n2,9,9\n${'120,9,9\n'.repeat(9)}`,
      says: `load: { trace: 'data/trace.csv' }`,
      words: ['--duration', '2m'],
    },
  ])('contains a scenario that resolves to the same hash in pods, with $named and its overrides', async (its) => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'load/data'), { recursive: true });
    await writeFile(join(folder, 'load/data', its.file), its.holds);
    await writeScenario(join(folder, 'load'), `{ name: 'x', ${its.says}, target: { agentId: 'a' } }`);
    const given = { cwd: folder, path: './load/scenario.mjs', words: its.words };
    const read = readManifest((await manifest(given)).stdout);
    const job = read.find(({ kind }) => kind === 'Job')?.json;

    const pod = await makeFolder();
    const map = read.find(({ kind }) => kind === 'ConfigMap')?.json;
    const { data: texts, binaryData: bytes } = map as Record<'data' | 'binaryData', Record<string, string>>;
    for (const { key: name, path } of firstField(job, 'items') as { key: string; path: string }[]) {
      await mkdir(dirname(join(pod, path)), { recursive: true });
      await writeFile(join(pod, path), texts[name] ?? Buffer.from(bytes[name] ?? '', 'base64'));
    }
    const variables = (firstField(job, 'env') as { name: string; value?: string }[]).flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const env = { ...Object.fromEntries(variables), CHAT_LOAD_API_KEY: key };
    const { stdout } = await performCommand(['plan', 'load/scenario.mjs', '--json'], env, pod);
    const { plan } = JSON.parse(stdout) as { plan: { hash: string; durationMs: number } };
    expect(plan.durationMs).toBe(120_000);
    expect(plan.hash).toBe(firstField(job, 'chat-load/scenario-hash'));
  });

  test('contains the protocol that the command names', async () => {
    const { stdout } = await manifest({ words: ['--protocol', 'openai-chat', '--stream'] });
    const jobs = readManifest(stdout).filter(({ kind }) => kind === 'Job');
    const named = { name: 'CHAT_LOAD_PROTOCOL', value: 'openai-chat' };
    expect(jobs).toHaveLength(2);
    for (const { json } of jobs) expect(firstField(json, 'env')).toContainEqual(named);
  });

  test('omits the scenario if the image contains it', async () => {
    const read = readManifest((await manifest({ words: ['--scenario-from', 'image'] })).stdout);
    expect(read.map(({ kind }) => kind)).not.toContain('ConfigMap');
    expect(firstField(read, 'args')).toBeDefined();
  });
});

describe('fleet manifest prints nothing', () => {
  const long = `'${'x'.repeat(800_000)}'`;

  test.each<readonly [string, Asked, RegExp]>([
    ['without a target', { env: {} }, /cannot reach the embedded service.*\n.*--base-url/],
    ['for this machine', { env: { CHAT_LOAD_BASE_URL: 'http://127.0.0.1:1' } }, /cannot reach http:\/\/127/],
    ['for a host that is not allowed', { env: { CHAT_LOAD_BASE_URL: 'http://a.example' } }, /--allow-host a\.example/],
    ['for half a worker', { shards: '1.5' }, /--shards takes a whole number/],
    ['for more workers than there are sessions', { shards: '50' }, /cannot be divided among 50 shards/],
    ['for a name that is none', { words: ['--name', 'a\n---'] }, /--name takes a name of at most/],
    ['for a namespace that is none', { words: ['--namespace', 'Load'] }, /--namespace takes a name/],
    ['for an image that is none', { words: ['--image', 'a b'] }, /--image takes the name of an image/],
    ['with a password for Redis', { words: ['--redis', 'redis://u:pass-word@r.example'] }, /must not contain secrets/],
    [
      'with a password hidden in options',
      { words: ['--redis', 'redis://r.example?password=pass'] },
      /must not contain secrets/,
    ],
    ['for a Redis that is none', { words: ['--redis', 'https://r.example'] }, /takes a URL of Redis/],
    [
      'with a key in the file',
      { text: body.replace("'a' }", "'a', apiKey: 'sk-of-the-file' }") },
      /would contain a key/,
    ],
    [
      'with the key of the environment in the file',
      { text: body.replace("'Hi'", `'${key}'`), env: { ...away, CHAT_LOAD_API_KEY: key } },
      /would contain a key/,
    ],
    [
      'with a key in the file besides the key of the environment',
      { text: body.replace("'a' }", "'a', apiKey: 'lk-beside-the-other' }"), env: { ...away, CHAT_LOAD_API_KEY: key } },
      /would contain a key/,
    ],
    ['with a mark that turns the direction of text', { words: ['--label', 'a\u202eb'] }, /a control character/],
    ['of 1 MB', { text: body.replace("'Hi'", long) }, /are 1\.1 MB.*at most 1 MB.*\n.*--scenario-from image/],
    ['with files that a module imports', { text: `${body};\nimport { a } from './a.mjs'` }, /cannot be loaded/],
    [
      'with a list that is elsewhere',
      { text: body.replace('messages', `data: { d: { file: '../d.csv' } }, messages`) },
      /d\.csv/,
    ],
  ])('%s', async (_, asked, problem) => {
    const { code, stdout, stderr } = await manifest(asked);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(problem);
    expect(stderr).not.toMatch(/sk-of-|lk-beside|pass-word/);
  });

  test.each([
    [
      'conversations',
      `messages: { file: 'talks.jsonl' }, sessions: 9`,
      'talks.jsonl',
      '{"messages":[{"role":"user","content":"Hi"}]}\n',
    ],
    ['a trace', `load: { trace: 'trace.csv' }`, 'trace.csv', '100,9,9\n'],
  ])('with %s that a ConfigMap cannot contain', async (_, says, file, line) => {
    const cwd = await makeFolder();
    const head = file === 'trace.csv' ? 'Timestamp,Request tokens,Response tokens\n' : '';
    await writeFile(join(cwd, file), head + line.repeat(Math.ceil(1e6 / line.length)));
    await writeScenario(cwd, `{ name: 'x', ${says}, target: { agentId: 'a' } }`);
    const { code, stdout, stderr } = await manifest({ cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/its data files are 1\.3 MB.*at most 1 MB.*\n.*--scenario-from image/);
  });

  test('of a scenario that imports a local file, or is not below the folder', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'words.mjs'), 'export const words = ["Hi"];\n');
    await writeFile(
      join(folder, 'scenario.mjs'),
      `import { words } from './words.mjs';\nexport default ${body.replace("['Hi']", 'words')};\n`,
    );
    const imports = await manifest({ cwd: folder });
    expect([imports.code, imports.stdout]).toEqual([2, '']);
    expect(imports.stderr).toMatch(/scenario\.mjs imports \.\/words\.mjs.*\n.*Build an image/);
    await mkdir(join(folder, 'inner'));
    const elsewhere = await manifest({ cwd: join(folder, 'inner'), path: '../scenario.mjs' });
    expect([elsewhere.code, elsewhere.stdout]).toEqual([2, '']);
    expect(elsewhere.stderr).toMatch(/is not below/);
  });
});
