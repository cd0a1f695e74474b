import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

let scratch = '';
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'folders '));
});
afterAll(() => rm(scratch, { recursive: true }));

test('creates missing folders, also twice at once, and keeps existing ones', async () => {
  const deep = join(scratch, 'a', 'b', 'c');
  await Promise.all([makeFolder(deep), makeFolder(deep)]);
  await makeFolder(deep);
  expect((await stat(deep)).isDirectory()).toBe(true);
});

test('fails at once if a file is in the way', async () => {
  await writeFile(join(scratch, 'file'), '');
  await expect(makeFolder(join(scratch, 'file', 'a'))).rejects.toThrow('ENOTDIR');
  await expect(makeFolder(join(scratch, 'file'))).rejects.toThrow('EEXIST');
});

test.runIf(process.platform === 'linux')('fails at once on a file system without new folders', async () => {
  await expect(makeFolder('/proc/nope/deeper')).rejects.toThrow('ENOENT');
});
