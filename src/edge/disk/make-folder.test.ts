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

test('makes what is missing, also where two do it at once, and lets be what is there', async () => {
  const deep = join(scratch, 'a', 'b', 'c');
  await Promise.all([makeFolder(deep), makeFolder(deep)]);
  await makeFolder(deep);
  expect((await stat(deep)).isDirectory()).toBe(true);
});

test('says at once that a file is in the way', async () => {
  await writeFile(join(scratch, 'file'), '');
  await expect(makeFolder(join(scratch, 'file', 'a'))).rejects.toThrow('ENOTDIR');
  await expect(makeFolder(join(scratch, 'file'))).rejects.toThrow('EEXIST');
});

test.runIf(process.platform === 'linux')('says at once that a file system makes no folders', async () => {
  await expect(makeFolder('/proc/nope/deeper')).rejects.toThrow('ENOENT');
});
