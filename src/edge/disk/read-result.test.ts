import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { migrate } from './migrate-result.ts';
import { readResult } from './read-result.ts';

const result = resultOf(finishedRun({ sessions: 20 }));
const whole = JSON.stringify(result, null, 1);

async function fileOf(text: string): Promise<string> {
  const file = join(await makeFolder(), 'a result.json');
  await writeFile(file, text);
  return file;
}

async function problemOf(text: string): Promise<ChatLoadError> {
  const thrown: unknown = await readResult(await fileOf(text)).catch((error: unknown) => error);
  if (!(thrown instanceof ChatLoadError)) throw new Error('it was read, or failed in another way', { cause: thrown });
  return thrown;
}

describe('a result is read', () => {
  test('as it was written', async () => {
    expect(await readResult(await fileOf(whole))).toEqual(result);
  });

  test('in any layout', async () => {
    expect(await readResult(await fileOf(JSON.stringify(result)))).toEqual(result);
  });
});

describe('a file that is no result is named, with what it is and a way out', () => {
  test.each([
    ['an empty file', '', /a result\.json is empty\.$/],
    ['one that was cut off', whole.slice(0, whole.length / 2), /a result\.json is cut off: its end is missing\.$/],
    ['text', 'BASE HEAD', /a result\.json is not JSON \(.+\)\.$/],
    ['another document of ours', '{"kind":"chat-load/comparison"}', /is a comparison of chat-load, not a result\.$/],
    ['a foreign document', '{"metrics":{}}', /is not a result of chat-load\.$/],
    ['a list', '[]', /is not a result of chat-load\.$/],
    [
      'a result without a part',
      JSON.stringify({ ...result, rates: { ...result.rates, measuredMs: 'long' } }),
      /is not a whole result: rates\.measuredMs: .+\.$/,
    ],
  ])('%s', async (_, text, message) => {
    const problem = await problemOf(text);
    expect(problem.message).toMatch(message);
    expect(problem.code).toBe('usage');
    expect(problem.hint).not.toBe('');
  });

  test('a folder, and a file that is not there', async () => {
    const folder = await makeFolder();
    await expect(readResult(folder)).rejects.toThrow(`${folder} cannot be read: it is a folder.`);
    await expect(readResult(join(folder, 'none.json'))).rejects.toThrow(
      'none.json cannot be read: there is no such file.',
    );
  });
});

describe('a result of another version cannot be compared', () => {
  test.each([
    [2, 'version 2; this chat-load reads 1.', 'upgrade'],
    [0, 'version 0; this chat-load reads 1.', 'measure again'],
    [undefined, 'version unknown; this chat-load reads 1.', 'measure again'],
  ])('%s', async (schemaVersion, message, hint) => {
    const problem = await problemOf(JSON.stringify({ ...result, schemaVersion }));
    expect(problem.code).toBe('not_comparable');
    expect(problem.message).toContain(message);
    expect(problem.hint).toContain(hint);
  });

  test('until there is a way: every step is gone in turn', () => {
    const steps = [
      { from: 2, apply: (old: unknown) => [old, 'to 3'] },
      { from: 1, apply: (old: unknown) => [old, 'to 2'] },
    ];
    expect(migrate('one', 1, { steps, newest: 3 })).toEqual([['one', 'to 2'], 'to 3']);
    expect(migrate('three', 3, { steps, newest: 3 })).toBe('three');
    expect(migrate('none', 0, { steps, newest: 3 })).toBeUndefined();
    expect(migrate('four', 4, { steps, newest: 3 })).toBeUndefined();
  });
});
