import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder, startCommand } from '../support/command.ts';
import { patient } from '../support/deadline.ts';

/** A file that takes longer to read than any test: a hole of 60 GB follows its lines, and no disk space. */
function writeEndless(path: string, lines: readonly string[]): void {
  writeFileSync(path, `${lines.join('\n')}\n`);
  truncateSync(path, 60e9);
}

const talks = Array.from({ length: 60 }, () => '{"messages":[{"role":"user","content":"Hi"}]}');
// More than are sorted in memory: sorted runs are on disk too.
const requests = Array.from({ length: 70_000 }, (_, at) => `${String(at)},1,1,s${String(at)}`);

test.each<[string, string, readonly string[], readonly string[], RegExp]>([
  ['a conversion', 'talks.jsonl', talks, ['dataset', 'convert', 'talks.jsonl', '--to', 'out.jsonl'], /out.*\.tmp$/],
  ['an index of conversations', 'talks.jsonl', talks, ['fit', 'talks.jsonl'], /index.*\.tmp$/],
  [
    'an index of a trace',
    'trace.csv',
    ['Timestamp,Request tokens,Response tokens,Session ID', ...requests],
    ['fit', 'trace.csv'],
    /\.tmp\.rows-0$/,
  ],
])('%s ended by SIGINT leaves no file, and exits with 130', async (_, name, lines, words, passing) => {
  const cwd = await makeFolder();
  writeEndless(join(cwd, name), lines);
  const { child, ended } = startCommand(words, { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  await vi.waitFor(() => expect(readdirSync(cwd)).toContainEqual(expect.stringMatching(passing)), patient);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130, stdout: '' });
  expect(readdirSync(cwd)).toEqual([name]);
});
