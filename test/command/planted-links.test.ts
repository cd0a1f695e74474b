import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, chown, lchown, mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root } from '../support/command.ts';

/** Only root can make a link that belongs to another user. */
const isRoot = process.geteuid?.() === 0;
if (!isRoot) console.log('Planted links are not tested: only root can make a link of another user.');

const stranger = 65_534;
const smoke = ['run', 'scenarios/smoke.ts', '--sessions', '1', '--duration', '1s'];

/** A folder that everybody can write to, as /tmp is, and a folder of the victim. */
async function openPlace(): Promise<{ shared: string; own: string }> {
  const folder = await makeFolder();
  const [shared, own] = [join(folder, 'tmp'), join(folder, 'own')];
  await Promise.all([mkdir(shared), mkdir(own)]);
  await chmod(shared, 0o1777);
  return { shared, own };
}

async function plant(target: string, link: string, owner: number): Promise<void> {
  await symlink(target, link);
  await lchown(link, owner, owner);
}

describe.runIf(isRoot)('a link that another user planted in a folder for everybody', () => {
  test('does not lead results, journals and reports elsewhere', async () => {
    const { shared, own } = await openPlace();
    const results = join(shared, 'results');
    await plant(own, results, stranger);
    const { code, stderr } = await performCommand([...smoke, '--out', results], {}, root);
    expect([code, stderr]).toEqual([3, expect.stringContaining('a link that another user created') as string]);
    expect(await readdir(own)).toEqual([]);
  });

  test('does not cause its target to be replaced by a report', async () => {
    const { shared, own } = await openPlace();
    const [precious, report] = [join(own, 'precious'), join(shared, 'report.md')];
    await writeFile(precious, 'mine');
    await plant(precious, report, stranger);
    const words = [...smoke, '--out', join(own, 'results'), '--report', report];
    const { code, stderr } = await performCommand(words, {}, root);
    expect([code, stderr]).toEqual([3, expect.stringContaining('a link that another user created') as string]);
    expect(await readFile(precious, 'utf8')).toBe('mine');
    // It is noticed before the load, so that none is lost.
    expect((await readdir(join(own, 'results'))).filter((name) => /json$/.test(name))).toEqual([]);
  });

  test('is followed if this user created it', async () => {
    const { shared, own } = await openPlace();
    await plant(own, join(shared, 'results'), process.geteuid?.() ?? 0);
    expect((await performCommand([...smoke, '--out', join(shared, 'results')], {}, root)).code).toBe(0);
    expect((await readdir(own)).filter((name) => name.endsWith('.json'))).toHaveLength(1);
  });
});

describe.runIf(isRoot)('a pipe that another user planted in a folder for everybody', () => {
  test.each([
    ['sticky', 0o1777],
    ['not sticky', 0o777],
  ])('receives no report, and blocks no command: %s', async (_, mode) => {
    const { shared, own } = await openPlace();
    const report = join(shared, 'report.html');
    execFileSync('mkfifo', [report]);
    await Promise.all([chmod(shared, mode), chown(report, stranger, stranger)]);
    const thief = await open(report, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const words = [...smoke, '--out', join(own, 'results'), '--report', report];
      const { code, stderr } = await performCommand(words, {}, root);
      expect([code, stderr]).toEqual([
        3,
        expect.stringContaining('another user created it in a folder that everybody can write to') as string,
      ]);
      expect(stderr).toContain('Name a file in a folder of your own with --report.');
      expect((await readdir(join(own, 'results'))).filter((name) => /json$/.test(name))).toEqual([]);
      expect((await thief.read(Buffer.alloc(8), 0, 8, null)).bytesRead).toBe(0);
    } finally {
      await thief.close();
    }
  });
});

describe('something other than a file', () => {
  test('is rejected before the load: a folder for a report', async () => {
    const { own } = await openPlace();
    await mkdir(join(own, 'report.html'));
    const words = [...smoke, '--out', join(own, 'results'), '--report', join(own, 'report.html')];
    const { code, stderr } = await performCommand(words, {}, root);
    expect([code, stderr]).toEqual([3, expect.stringContaining('it is a folder') as string]);
    expect((await readdir(join(own, 'results'))).filter((name) => /json$/.test(name))).toEqual([]);
  });

  test.each([
    ['reports', 'trend.md'],
    ['reports', 'compare.html'],
    ['results', 'history.json'],
  ])('is rejected before the load: a pipe for a file of a night, %s/%s', async (folder, name) => {
    const { own } = await openPlace();
    await mkdir(join(own, folder));
    execFileSync('mkfifo', [join(own, folder, name)]);
    const places = ['results', 'baseline', 'reports'].flatMap((each) => [`--${each}`, join(own, each)]);
    const words = ['nightly', 'scenarios/smoke.ts', '--head', 'embedded', '--runs', '1', ...places];
    const { code, stderr } = await performCommand(words, { BASE_URL: '' }, root);
    expect([code, stderr]).toEqual([3, expect.stringContaining('it is not a file') as string]);
    expect((await readdir(join(own, 'results'))).filter((each) => each !== name)).toEqual([]);
  });
});
