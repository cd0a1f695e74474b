import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario, type Ended } from '../support/command.ts';

const scenario = `{ name: 'lost', duration: '10m', turns: 3, load: { concurrency: 4 }, thinkTime: '20ms', gracePeriod: '1s',
  messages: ['Hello'], embedded: { latency: { median: '10ms', sigma: 0.3 } } }`;

const runIn = (folder: string): Promise<Ended> =>
  performCommand(['run', 'scenario.mjs', '--out', 'out', '--quiet'], {}, folder);

/** Waits until there is a journal in a folder. */
async function journalIn(folder: string): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    if (existsSync(folder) && (await readdir(folder)).some((name) => name.endsWith('.ndjson'))) return;
    await pass(10);
  }
  throw new Error(`there is no journal in ${folder}`);
}

/** The run was stopped for its journal, and has its result in the working directory. */
function expectStopped({ code, stderr }: Ended, result: Result, why: RegExp): void {
  expect(code).toBe(3);
  expect(stderr).toMatch(/error The run was stopped: Cannot write the journal out\/lost-.*\.ndjson: /);
  expect(stderr).toMatch(why);
  expect(stderr).toMatch(/The result was written elsewhere: lost-.*\.json/);
  expect(result.run).toMatchObject({ status: 'stopped', stop: { kind: 'journal' } });
  expect(result.books.balanced).toBe(true);
  expect(result.books.turns.ok).toBeGreaterThan(0);
}

const mounted: string[] = [];
afterAll(() => mounted.forEach((folder) => spawnSync('umount', [folder])));

/** Mounts a disk of 64 KB; false where that is not allowed. */
function mountSmall(folder: string): boolean {
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
  if (isMounted) mounted.push(folder);
  return isMounted;
}

describe('a journal that cannot be written', () => {
  test('stops the run when the disk is full, and the result goes to the working directory', async (context) => {
    const folder = await makeFolder();
    const out = join(folder, 'out');
    await mkdir(out);
    if (!mountSmall(out)) return context.skip('a file system of 64 KB can be mounted by root alone');
    // Room for the header and a second or two.
    await writeFile(join(out, 'ballast'), Buffer.alloc(48 * 1024));
    await writeScenario(folder, scenario);
    const ended = await runIn(folder);
    expectStopped(ended, await readResult(folder), /the disk is full/);
    expect(await readdir(out)).toEqual(['ballast']);
  });

  test('prevents a run from starting when the disk is already full', async (context) => {
    const folder = await makeFolder();
    const out = join(folder, 'out');
    await mkdir(out);
    if (!mountSmall(out)) return context.skip('a file system of 64 KB can be mounted by root alone');
    await writeFile(join(out, 'ballast'), Buffer.alloc(64 * 1024));
    await writeScenario(folder, scenario);
    const { code, stderr } = await runIn(folder);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/Cannot write the journal out\/lost-.*: the disk is full/),
    ]);
    expect(await readdir(out)).toEqual(['ballast']);
    expect((await readdir(folder)).filter((name) => name.startsWith('lost'))).toEqual([]);
  });

  test('stops the run when its folder is removed', async () => {
    const folder = await makeFolder();
    await writeScenario(folder, scenario);
    const ended = runIn(folder);
    await journalIn(join(folder, 'out'));
    await pass(500);
    await rm(join(folder, 'out'), { recursive: true });
    expectStopped(await ended, await readResult(folder), /it was removed, or its folder was/);
  });
});

test('a result whose folder has become unusable goes to the working directory, and the run exits with 3', async () => {
  const folder = await makeFolder();
  const short = scenario.replace("duration: '10m'", "duration: '1s'");
  await writeScenario(folder, short);
  const ended = runIn(folder);
  await journalIn(join(folder, 'out'));
  await rm(join(folder, 'out'), { recursive: true });
  await writeFile(join(folder, 'out'), 'a file now');
  const { code, stdout, stderr } = await ended;
  expect([code, stdout]).toEqual([
    3,
    expect.stringMatching(/\nresult {4}lost-.*\.json\nFAILED: Cannot write to .*\n$/),
  ]);
  expect(stderr).toMatch(/error Cannot write to .*out\/lost-.*\nThe result was written elsewhere: lost-/);
  expect((await readResult(folder)).books.balanced).toBe(true);
});
