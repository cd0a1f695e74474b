import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeNewFiles } from '../../src/edge/disk/write-new-files.ts';
import { makeFolder, runCommand } from '../support/command.ts';

const mounted: string[] = [];
afterAll(() => mounted.forEach((folder) => spawnSync('umount', [folder])));

test('a deleted working folder is an error of the environment, with a remedy', async () => {
  const folder = join(await makeFolder(), 'gone');
  await mkdir(folder);
  const removeFirst = ['sh', '-c', 'rmdir "$PWD" && exec "$@"', 'sh'];
  const { code, stderr } = await runCommand(['plan', 'x.ts'], { cwd: folder, by: removeFirst });
  expect(stderr).toMatch(/^error The working folder no longer exists\.\nChange to an existing folder/);
  expect([code, stderr.includes('bug')]).toEqual([3, false]);
});

test('a new file that does not fit on the disk leaves nothing', async (context) => {
  const folder = await makeFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder]).status !== 0)
    return context.skip('a file system of 16 KB can be mounted by root alone');
  mounted.push(folder);
  const files = [{ path: 'agent.ts', text: 'x'.repeat(100_000) }];
  await expect(writeNewFiles(folder, files)).rejects.toThrow(/agent\.ts/);
  expect(await readdir(folder)).toEqual([]);
});
