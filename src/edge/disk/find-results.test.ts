import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { findResults } from './find-results.ts';

const result = '{\n "kind": "chat-load/result",\n "schemaVersion": 1\n}\n';

/** A folder with such files; a name that ends with a slash is a folder. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeFolder();
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith('/')) await mkdir(join(folder, name));
    else await writeFile(join(folder, name), text);
  }
  return folder;
}

const namesOf = async (names: readonly string[]): Promise<string[]> =>
  (await findResults(names)).map((file) => basename(file));

describe('a folder', () => {
  test('contains its results by name, without results in inner folders', async () => {
    const folder = await folderWith({ 'b.json': result, 'a.json': result, 'within/': '', 'within/c.json': result });
    expect(await findResults([folder])).toEqual([join(folder, 'a.json'), join(folder, 'b.json')]);
  });

  test('skips other documents, and includes damaged files so that they are reported', async () => {
    const folder = await folderWith({
      'a.json': result,
      'history.json': '{\n  "kind": "chat-load/history", "groups": []\n}',
      'package.json': '{ "name": "something" }',
      'report.html': '<html>',
      '.a.json.1f.tmp': '{',
      '.hidden.json': result,
      'later-kind.json': '{ "schemaVersion": 1, "kind": "chat-load/result" }',
      'broken.json': '{ "some": ',
      'empty.json': '',
    });
    expect(await namesOf([folder])).toEqual(['a.json', 'broken.json', 'empty.json', 'later-kind.json']);
  });

  test('without a result is a problem that names it', async () => {
    const folder = await folderWith({ 'history.json': '{"kind":"chat-load/history"}' });
    await expect(findResults([folder])).rejects.toThrow(`No result in the folder ${folder}.`);
  });
});

describe('a pattern', () => {
  test('matches the files of such names', async () => {
    const files = ['peak-1.json', 'peak-2.json', 'peak-10.json', 'peak-1xjson', 'soak-1.json'];
    const folder = await folderWith(Object.fromEntries(files.map((name) => [name, result])));
    expect(await namesOf([join(folder, 'peak-*.json')])).toEqual(['peak-1.json', 'peak-10.json', 'peak-2.json']);
    expect(await namesOf([join(folder, 'peak-?.json')])).toEqual(['peak-1.json', 'peak-2.json']);
  });

  test('of folders is rejected, and so is one that no file matches', async () => {
    const folder = await folderWith({ 'a.json': result });
    await expect(findResults([join(folder, '*', 'a.json')])).rejects.toThrow('* and ? may be in file names only');
    await expect(findResults([join(folder, 'b*.json')])).rejects.toThrow(/No file matches .+b\*\.json\./);
  });

  test('may be in a folder with any name, and has no other special characters', async () => {
    const files = ['a (1) [x] {y} +!-1.json', 'a (1) [x] {y} +!-2.json', 'a 1 x.json'];
    const folder = await folderWith({
      'what?*/': '',
      ...Object.fromEntries(files.map((name) => [`what?*/${name}`, result])),
    });
    expect(await namesOf([join(folder, 'what?*', 'a (1) [x] {y} +!-*.json')])).toEqual(files.slice(0, 2));
  });

  test('that is the name of a file matches only that file', async () => {
    const folder = await folderWith({ 'what?.json': result, 'whatX.json': result });
    expect(await namesOf([join(folder, 'what?.json')])).toEqual(['what?.json']);
  });
});

describe('names', () => {
  test('of files are accepted, whatever the files contain', async () => {
    const folder = await folderWith({ 'a.txt': 'text' });
    expect(await findResults([join(folder, 'a.txt')])).toEqual([join(folder, 'a.txt')]);
  });

  test('that lead to the same file twice yield it once', async () => {
    const folder = await folderWith({ 'a.json': result });
    const file = join(folder, 'a.json');
    expect(await namesOf([folder, file, relative(process.cwd(), file), join(folder, '*.json')])).toEqual(['a.json']);
  });

  test('that match nothing are a usage error', async () => {
    const folder = await makeFolder();
    const missing = join(folder, 'none.json');
    await expect(findResults([missing])).rejects.toThrow(`No such file or folder: ${missing}.`);
    await expect(findResults([missing])).rejects.toBeInstanceOf(ChatLoadError);
  });
});
