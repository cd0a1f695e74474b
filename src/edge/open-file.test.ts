import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../test/support/command.ts';
import { readEnds } from './disk/read-ends.ts';
import { resultKind, resultSchema } from '../result/result.ts';
import { readText, readListedResult, readOther } from './disk/read-result.ts';

const pipe = join(await makeFolder(), 'pipe.json');
execFileSync('mkfifo', [pipe]);

test('a named pipe that nobody writes to is rejected, not waited for', async () => {
  await expect(readText(pipe)).rejects.toThrow(`${pipe} cannot be read: it is not a file.`);
  expect(readOther(pipe, resultKind, resultSchema)).toMatchObject({ problem: 'cannot be read: it is not a file' });
  expect(readListedResult(pipe)).toMatchObject({ problem: 'cannot be read: it is not a file' });
  expect(() => readEnds(pipe, String)).toThrow('it is not a file');
});

test('a device and a folder are rejected with a message', async () => {
  await expect(readText('/dev/zero')).rejects.toThrow('/dev/zero cannot be read: it is not a file.');
  await expect(readText('/tmp')).rejects.toThrow('/tmp cannot be read: it is a folder.');
});

test('a file larger than any document of chat-load is not read', async () => {
  const large = join(await makeFolder(), 'large.json');
  writeFileSync(large, '{}');
  truncateSync(large, 65 * 1024 ** 2);
  await expect(readText(large)).rejects.toThrow(`${large} cannot be read: it has 65 MB, and at most 64 MB are read.`);
});
