import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { readHistory } from './perform-comparison.ts';

const history = { kind: 'chat-load/history', schemaVersion: 1, groups: [] };

async function read(text: string) {
  const folder = await makeFolder();
  await writeFile(join(folder, 'history.json'), text);
  return readHistory(undefined, folder);
}

test('a history is read; without one there is none', async () => {
  expect(await read(JSON.stringify(history))).toEqual(history);
  expect(await readHistory(undefined, await makeFolder())).toBeUndefined();
});

test.each([
  ['of a newer version', { ...history, schemaVersion: 2 }, 'is a history of schema version 2; this chat-load reads 1.'],
  ['that is a result', { kind: 'chat-load/result' }, 'is a result of chat-load, not a history.'],
  ['that lacks a part', { ...history, groups: 3 }, 'is not a whole history: groups: '],
])('a history %s is reported with the problem and a remedy', async (_, document, problem) => {
  await expect(read(JSON.stringify(document))).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`history.json ${problem}`) as string,
    hint: expect.stringContaining('--no-history') as string,
  });
});
