import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, root } from '../../../test/support/command.ts';
import { writeUnderFreeName, writeWhole } from './write-result.ts';

const contents = async (folder: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).sort().map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
    ),
  );

test('a file takes the place of the one before', async () => {
  const folder = await makeFolder();
  await writeWhole(join(folder, 'a.json'), 'first');
  await writeWhole(join(folder, 'a.json'), 'second');
  expect(await contents(folder)).toEqual({ 'a.json': 'second' });
});

test('a result takes a free name, however many there are, and nothing is left beside', async () => {
  const folder = await makeFolder();
  const paths = await Promise.all(
    ['1', '2', '3', '4'].map((text) => writeUnderFreeName(join(folder, 'a.b.json'), text)),
  );
  expect(paths.map((path) => path.slice(folder.length + 1)).sort()).toEqual([
    'a.b-2.json',
    'a.b-3.json',
    'a.b-4.json',
    'a.b.json',
  ]);
  expect(Object.values(await contents(folder)).sort()).toEqual(['1', '2', '3', '4']);
});

test('what cannot be written says where and what to do, and leaves nothing', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(writeUnderFreeName(join(folder, 'file', 'a.json'), '')).rejects.toThrow(/Cannot write to .*a\.json/);
  await mkdir(join(folder, 'taken'));
  await expect(writeWhole(join(folder, 'taken'), '')).rejects.toThrow(/Cannot write to .*taken/);
  expect((await readdir(folder)).sort()).toEqual(['file', 'taken']);
});

/** Exits with 9 as soon as it has begun to write. */
const exitsMeanwhile = `
  import { readdirSync } from 'node:fs';
  import { createJiti } from 'jiti';
  const { writeWhole } = await createJiti(import.meta.url).import('./src/edge/disk/write-result.ts');
  const [, folder] = process.argv;
  void writeWhole(folder + '/a.json', 'x'.repeat(5e7));
  const look = () => (readdirSync(folder).some((name) => name.endsWith('.tmp')) ? process.exit(9) : setImmediate(look));
  look();
`;

test('a process that exits while it writes leaves nothing', async () => {
  const folder = await makeFolder();
  const words = ['--input-type=module', '--eval', exitsMeanwhile, folder];
  const code = await new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: root }).once('close', resolve);
  });
  expect([code, await readdir(folder)]).toEqual([9, []]);
});
