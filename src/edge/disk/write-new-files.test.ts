import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { openNewStream } from './write-new-files.ts';

const listeners = (): number => process.listenerCount('SIGINT');

test('a signal while a file is opened removes it, and nothing listens afterwards', async () => {
  const [folder, before] = [await makeFolder(), listeners()];
  const opening = openNewStream(join(folder, 'out'));
  expect(listeners()).toBe(before + 1);
  await (await opening).discard();
  expect([listeners(), readdirSync(folder)]).toEqual([before, []]);
});

test('nothing listens after a file that cannot be opened', async () => {
  const [folder, before] = [await makeFolder(), listeners()];
  writeFileSync(join(folder, 'file'), '');
  await expect(openNewStream(join(folder, 'file/out'))).rejects.toThrow('Cannot write');
  expect(listeners()).toBe(before);
});
