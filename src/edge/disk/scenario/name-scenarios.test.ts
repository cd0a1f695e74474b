import { createHash } from 'node:crypto';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../../../test/support/command.ts';
import { loadScenario, scenarioDigest } from './load-scenario.ts';
import { nameScenarios } from './name-scenarios.ts';

let folder = '';
let above = '';

async function write(path: string, text = 'export default {};'): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

beforeAll(async () => {
  above = await makeFolder();
  folder = join(above, 'agents');
  for (const path of ['peak.ts', 'peak/a.ts', 'peak/deep/b.mjs', 'peak/people.csv', 'peak/[x].ts']) await write(path);
  for (const path of ['a%20b (1) {y} [z] ?/c.ts', 'a%20b (1) {y} [z] ?/d#.mjs']) await write(path);
  for (const path of ['node_modules/a/index.mjs', '.git/hook.mjs', 'peak/.hidden.ts', 'peak/node_modules/c.ts'])
    await write(path);
  await writeFile(join(above, 'secret.ts'), '');
  await symlink(join(above, 'secret.ts'), join(folder, 'out.ts'));
  await symlink(join(folder, 'peak', 'a.ts'), join(folder, 'within.ts'));
  await symlink(join(folder, '.git', 'hook.mjs'), join(folder, 'hook.mjs'));
  await symlink(join(folder, 'node_modules', 'a'), join(folder, 'linked'));
  // The layout of a mounted ConfigMap.
  await write('..2026_01/mounted/m.ts');
  await symlink('..2026_01', join(folder, '..data'));
  await symlink('..data/mounted', join(folder, 'mounted'));
  await symlink('circle.ts', join(folder, 'circle.ts'));
});

/** Returns the paths below the folder that these arguments name. */
const named = (...names: string[]): string[] => [
  ...nameScenarios(
    names.map((name) => join(folder, name)),
    folder,
  ).keys(),
];

/** Root may read every folder. */
const isRoot = process.getuid?.() === 0;
if (isRoot) console.log('A folder that may not be read is not tested: root may read every folder.');

describe('the scenarios that a command line names', () => {
  test('are identified by their paths below the folder and the SHA-256 of their bytes', async () => {
    await write('bytes.ts', 'export default 1;');
    const digest = createHash('sha256').update('export default 1;').digest('hex');
    expect([...nameScenarios([join(folder, 'bytes.ts')], folder)]).toEqual([['bytes.ts', digest]]);
  });

  test.each([
    [['peak.ts'], ['peak.ts']],
    [['within.ts'], ['within.ts']],
    [['mounted/m.ts'], ['mounted/m.ts']],
    [['..data/mounted/m.ts'], ['..data/mounted/m.ts']],
    [['peak/*.ts'], ['peak/[x].ts', 'peak/a.ts']],
    [['peak/[x].ts'], ['peak/[x].ts']],
    [['peak/**'], ['peak/[x].ts', 'peak/a.ts', 'peak/deep/b.mjs']],
    [
      ['peak/**/*.{mjs,cjs}', 'peak.ts', 'peak.ts'],
      ['peak/deep/b.mjs', 'peak.ts'],
    ],
    [['mounted/*.ts'], ['mounted/m.ts']],
    [['a%20b (1) {y} [z] ?/*'], ['a%20b (1) {y} [z] ?/c.ts', 'a%20b (1) {y} [z] ?/d#.mjs']],
  ])('are, of %j, %j', (names, paths) => {
    expect(named(...names)).toEqual(paths);
  });

  test.each([
    ['missing.ts', 'no such file'],
    ['peak/*.js', 'no module matches it'],
    ['node_modules/**', 'node_modules or in a hidden folder'],
    ['node_modules/a/index.mjs', 'node_modules or in a hidden folder'],
    ['.git/hook.mjs', 'node_modules or in a hidden folder'],
    ['.git/*.mjs', 'node_modules or in a hidden folder'],
    ['hook.mjs', 'node_modules or in a hidden folder'],
    ['linked/index.mjs', 'node_modules or in a hidden folder'],
    ['peak/people.csv', 'not a module'],
    ['peak', 'not a module'],
    ['../secret.ts', 'is not below'],
    ['out.ts', 'is not below'],
    ['peak.ts/', 'peak.ts/ cannot be a scenario of this worker: a part of its path is not a folder'],
    ['peak.ts/*.ts', 'peak.ts/*.ts cannot be a scenario of this worker: a part of its path is not a folder'],
    ['circle.ts', 'circle.ts cannot be a scenario of this worker: its links lead in a circle'],
  ])('do not include %s', (name, reason) => {
    // `join` keeps a slash at the end.
    expect(() => named(name)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(reason) as string }),
    );
  });

  test.skipIf(isRoot)('do not include a folder that may not be read, with its name', async () => {
    await write('locked/inner/a.ts');
    await chmod(join(folder, 'locked', 'inner'), 0);
    onTestFinished(() => chmod(join(folder, 'locked', 'inner'), 0o700));
    for (const name of ['locked/inner/a.ts', 'locked/**/*.ts'])
      expect(() => named(name)).toThrow(/locked\/inner.* cannot be a scenario of this worker: permission is denied/);
  });
});

test.each(['pinned.ts', 'pinned.mjs'])('a scenario with another digest is not executed: %s', async (name) => {
  const traces = globalThis as { executed?: string[] };
  traces.executed = [];
  const text = (version: string): string =>
    `import { sep } from 'node:path';\nglobalThis.executed.push('${version}');\nexport default { sep, at: import.meta.url };\n`;
  await write(name, text('known'));
  const file = join(folder, name);
  const digest = scenarioDigest(Buffer.from(text('known')));
  const plain = await loadScenario(file);
  expect(await loadScenario(file, digest)).toEqual(plain);
  await write(name, text('other'));
  await expect(loadScenario(file, digest)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`since the worker was started (${digest.slice(0, 12)})`) as string,
  });
  expect(traces.executed).not.toContain('other');
});
