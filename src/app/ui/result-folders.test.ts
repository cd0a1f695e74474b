import { mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { folderWith, listable, resultText } from '../../../test/support/results-folder.ts';
import { unchanged } from '../../../test/support/synthetic-comparison.ts';
import { writeSyntheticJournal } from '../../../test/support/synthetic-journal.ts';
import { ResultFolders, runsUnderWay } from './result-folders.ts';

const older = listable({ label: 'older', startedAt: '2026-01-01T00:00:00.000Z' });
const newer = listable({ label: 'newer', startedAt: '2026-01-02T00:00:00.000Z' });

const withRate = (turnsPerSecond: number) => ({ ...older, rates: { ...older.rates, turnsPerSecond } });

const listOf = (...folders: string[]) => new ResultFolders(folders).list();
const labels = async (folders: ResultFolders) => (await folders.list()).rows.map(({ label }) => label);

describe('a list of folders', () => {
  test('has the results of all, the newest first, each folder once', async () => {
    const one = await folderWith({ 'a.json': older });
    const two = await folderWith({ 'a.json': newer });
    const { rows, folders } = await listOf(one, two, `${one}/.`);
    expect(rows.map(({ label, folder }) => [label, folder])).toEqual([
      ['newer', 1],
      ['older', 0],
    ]);
    expect(folders).toHaveLength(2);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  });

  test('omits files that are not results, and lists unreadable ones with the problem', async () => {
    const folder = await folderWith({
      'a.json': older,
      'comparison.json': unchanged,
      'package.json': { name: 'another' },
      'notes.txt': 'no JSON',
      'newer.json': { ...older, schemaVersion: 9 },
      'cut.json': resultText(older).slice(0, 2000),
      'nan.json': resultText(withRate(987654321)).replace('987654321', 'NaN'),
      'text.json': resultText(withRate(987654321)).replace('987654321', '"1"'),
    });
    await mkdir(join(folder, 'folder.json'));
    const { rows } = await listOf(folder);
    const reasons = Object.fromEntries(rows.map(({ file, reason }) => [file, reason]));
    expect(reasons).toEqual({
      'a.json': expect.not.stringContaining('a.json'),
      'newer.json': expect.stringMatching(/schema version 9; .* upgrade this one/),
      'cut.json': expect.stringContaining('is cut off'),
      'nan.json': expect.stringContaining('is not JSON'),
      'text.json': expect.stringContaining('rates.turnsPerSecond'),
    });
  });

  test('without a result shows the message of the terminal, and nothing is listed', async () => {
    const folder = await makeFolder();
    const { rows, problems } = await listOf(folder);
    expect(rows).toEqual([]);
    expect(problems).toEqual([{ message: `No result in the folder ${folder}.`, hint: expect.any(String) }]);
  });

  test('is rejected for an unreadable folder; if a folder was deleted since, the others are shown', async () => {
    const [gone, there] = [await folderWith({ 'a.json': older }), await folderWith({ 'a.json': newer })];
    const folders = new ResultFolders([gone, there]);
    await rm(gone, { recursive: true });
    const { rows, problems } = await folders.list();
    expect(rows.map(({ label }) => label)).toEqual(['newer']);
    expect(problems[0]?.message).toContain(`${gone} cannot be read`);
    expect(() => new ResultFolders([gone])).toThrow(/cannot be read/);
  });
});

describe('a file', () => {
  test('is read again when it has changed, and only then', async () => {
    const folder = await folderWith({ 'a.json': older });
    const file = join(folder, 'a.json');
    const at = new Date('2026-02-01T00:00:00Z');
    await utimes(file, at, at);
    const folders = new ResultFolders([folder]);
    const first = await folders.list();
    const second = await folders.list();
    expect(second.version).toBe(first.version);
    expect(second.rows[0]).toBe(first.rows[0]);
    // With the same length and modification time.
    await writeFile(file, resultText(older).replace('"label": "older"', '"label": "OLDER"'));
    await utimes(file, at, at);
    expect(await labels(folders)).toEqual(['OLDER']);
    expect((await folders.list()).version).not.toBe(first.version);
  });

  test('that is a link to a location outside is not read, by any request', async () => {
    const elsewhere = await folderWith({ 'secret.json': listable({ label: 'secret' }) });
    const folder = await folderWith({ 'a.json': older });
    await symlink(join(elsewhere, 'secret.json'), join(folder, 'out.json'));
    await symlink(join(folder, 'a.json'), join(folder, 'in.json'));
    const folders = new ResultFolders([folder]);
    const { rows } = await folders.list();
    const out = rows.find(({ file }) => file === 'out.json');
    expect(out).toMatchObject({ verdict: 'UNREADABLE', reason: expect.stringContaining('leads out of the folder') });
    expect(rows.find(({ file }) => file === 'in.json')).toMatchObject({ label: 'older' });
    await expect(folders.pathsOf([out?.id ?? ''])).rejects.toThrow(/leads out of the folder/);
    expect(folders.filesOf('0').files).toEqual(['a.json', 'in.json']);
  });

  test('that was replaced by such a link is not read', async () => {
    const elsewhere = await folderWith({ 'secret.json': listable({ label: 'secret' }) });
    const folder = await folderWith({ 'a.json': older });
    const folders = new ResultFolders([folder]);
    const [row] = (await folders.list()).rows;
    await rm(join(folder, 'a.json'));
    await symlink(join(elsewhere, 'secret.json'), join(folder, 'a.json'));
    await expect(folders.pathsOf([row?.id ?? ''])).rejects.toThrow(/leads out of the folder/);
  });

  test('that was briefly replaced by such a link while its page was built is not shown', async () => {
    const elsewhere = await folderWith({ 'secret.json': listable({ label: 'secret' }) });
    const folder = await folderWith({ 'a.json': older });
    const folders = new ResultFolders([folder]);
    const [row] = (await folders.list()).rows;
    const [path, aside] = [join(folder, 'a.json'), join(folder, 'aside')];
    const made = folders.steady(async () => {
      await folders.pathsOf([row?.id ?? '']);
      await rename(path, aside);
      await symlink(join(elsewhere, 'secret.json'), path);
      const shown = await readFile(path, 'utf8');
      await rename(aside, path);
      return shown;
    });
    await expect(made).rejects.toThrow('A file was changed while it was read.');
    await expect(folders.steady(() => folders.pathsOf([row?.id ?? '']))).resolves.toEqual([path]);
  });

  test.each(['', 'a.json', '../a.json', '/etc/passwd'])('is not found by %o', async (name) => {
    const folders = new ResultFolders([await folderWith({ 'a.json': older })]);
    await expect(folders.pathsOf([name])).rejects.toThrow(/No such result/);
  });

  test.each(['1', '-1', '..', '0x0', '', '__proto__'])('is in no folder %o', async (number) => {
    const folders = new ResultFolders([await folderWith({ 'a.json': older })]);
    expect(() => folders.filesOf(number)).toThrow(/No such folder:/);
  });
});

test('subfolders are not read: no result, no active run, no file of a trend', async () => {
  const { lines } = await writeSyntheticJournal('deep');
  const folder = await folderWith({ 'a.json': older });
  await mkdir(join(folder, 'nightly'));
  await writeFile(join(folder, 'nightly', 'b.json'), resultText(newer));
  await writeFile(join(folder, 'nightly', 'deep.ndjson'), `${lines[0] ?? ''}\n`);
  const folders = new ResultFolders([folder]);
  const { rows, problems } = await folders.list();
  expect([rows.map(({ file }) => file), problems]).toEqual([['a.json'], []]);
  expect(folders.filesOf('0').files).toEqual(['a.json']);
  expect(runsUnderWay([folder], Date.now())).toEqual([]);
  expect(runsUnderWay([join(folder, 'nightly')], Date.now())).toHaveLength(1);
});
