import { execFile } from 'node:child_process';
import { mkdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { linkCommand } from '../../dev/link-command.ts';
import { makeFolder, root } from '../support/command.ts';

/** A built checkout, whose path contains a space. */
async function makeCheckout(): Promise<string> {
  const folder = join(await makeFolder(), 'checkout');
  await mkdir(join(folder, 'dist/cli'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ bin: { 'chat-load': 'dist/cli/main.js' } }));
  await writeFile(
    join(folder, 'dist/cli/main.js'),
    '#!/usr/bin/env node\nconsole.log(`run with ${process.argv[2]}`);\n',
  );
  return folder;
}

const run = async (folder: string): Promise<string> =>
  (await promisify(execFile)(join(folder, 'node_modules/.bin/chat-load'), ['this'])).stdout;

test('the command of a checkout can be run from node_modules/.bin, also after the checkout was moved', async () => {
  const folder = await makeCheckout();
  await linkCommand(folder, 'linux');
  expect(await run(folder)).toBe('run with this\n');
  await rename(folder, `${folder} moved`);
  expect(await run(`${folder} moved`)).toBe('run with this\n');
});

test('linking again changes nothing, and repairs a link that leads elsewhere', async () => {
  const folder = await makeCheckout();
  const link = join(folder, 'node_modules/.bin/chat-load');
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await symlink('/elsewhere', link);
  for (let time = 0; time < 2; time++) await linkCommand(folder, 'linux');
  expect(await readlink(link)).toBe('../../dist/cli/main.js');
});

test('on Windows it can be run by its .cmd', async () => {
  const folder = await makeCheckout();
  await linkCommand(folder, 'win32');
  const shim = await readFile(join(folder, 'node_modules/.bin/chat-load.cmd'), 'utf8');
  expect(shim).toContain('"%dp0%\\..\\..\\dist\\cli\\main.js"');
});

test('this checkout has its command there once it is built', async () => {
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/chat-load'), ['--version']);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(stdout).toBe(`${version}\n`);
});
