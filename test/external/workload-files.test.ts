import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DatasetDocument } from '../../src/dataset/inspect/dataset-document.ts';
import type { Fit } from '../../src/fit/document/fit.ts';
import { randomOf } from '../../src/base/random.ts';
import type { Result } from '../../src/result/result.ts';
import { makeFolder, root, runCommand } from '../support/command.ts';

/** Runs a command that must succeed, and returns its output. */
async function printed(cwd: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(words, { cwd });
  expect(code, `${words.join(' ')}\n${stderr}\n${stdout}`).toBe(0);
  return stdout;
}

async function played(folder: string, scenario: string): Promise<Result> {
  const name = join(folder, 'scenario.mjs');
  await writeFile(name, `import { fromFile } from 'chat-load';\nvoid fromFile;\nexport default ${scenario};\n`);
  return playedFile(folder, name);
}

const playedFile = async (folder: string, name: string): Promise<Result> =>
  JSON.parse(await printed(folder, 'run', name, '--json', '--out', folder)) as Result;

test('conversations are converted, inspected, fitted and run', async () => {
  const folder = await makeFolder();
  await copyFile(join(root, 'docs/datasets/talks.jsonl'), join(folder, 'given.jsonl'));
  await printed(folder, 'dataset', 'convert', 'given.jsonl', '--to', 'talks.jsonl', '--redact');
  const given = (await readFile(join(folder, 'given.jsonl'), 'utf8')).trim().split('\n');
  const inspected = JSON.parse(await printed(folder, 'dataset', 'inspect', 'talks.jsonl', '--json')) as DatasetDocument;
  expect(inspected).toMatchObject({ conversations: given.length, skipped: [], personal: [] });
  const fit = JSON.parse(await printed(folder, 'fit', 'talks.jsonl', '--json', '--to', 'fitted.ts')) as Fit;
  expect(fit.turns?.mean.data).toBeCloseTo(inspected.turns?.mean ?? 0, 6);
  expect(await readFile(join(folder, 'fitted.ts'), 'utf8')).toContain("fromFile('talks.jsonl'");
  expect(await printed(folder, 'plan', 'fitted.ts')).toContain(`${String(given.length)} in talks.jsonl`);
  const result = await played(
    folder,
    "{ name: 'talks', sessions: 6, thinkTime: 0, messages: fromFile('talks.jsonl', { order: 'inOrder' }) }",
  );
  const turnsOf = (line: string): number => line.split('"role":"user"').length - 1;
  const turns = given.slice(0, 6).reduce((sum, line) => sum + turnsOf(line), 0);
  expect(result.books.turns.planned).toBe(turns);
});

test('a trace is fitted to and replayed', async () => {
  const folder = await makeFolder();
  const rows = Array.from({ length: 40 }, (_, index) => `${String(index * 25)},s${String(index >> 1)},12,20`);
  await writeFile(join(folder, 'trace.csv'), ['time,user,in,out', ...rows].join('\n'));
  const columns = 'at=time,session=user,inputTokens=in,outputTokens=out,unit=ms';
  const fit = JSON.parse(await printed(folder, 'fit', 'trace.csv', '--columns', columns, '--json')) as Fit;
  expect(fit).toMatchObject({ arrivals: { sessions: 20 }, columns: { at: 'time', unit: 'ms' } });
  const map = "{ at: 'time', session: 'user', inputTokens: 'in', outputTokens: 'out', unit: 'ms' }";
  const result = await played(folder, `{ name: 'again', load: { trace: 'trace.csv', columns: ${map} } }`);
  expect(result.books.sessions.started).toBe(20);
  expect(result.books.turns.planned).toBe(40);
});

test('the scenario printed by fit generates a workload like the trace', async () => {
  const folder = await makeFolder();
  // 150 different sessions in about 2 s, of 1 to 3 turns, not ordered by time.
  const random = randomOf(7);
  let at = 0;
  const sessions = Array.from({ length: 150 }, (_, session) => {
    at += -13 * Math.log(1 - random());
    const turns = 1 + (session % 3);
    return Array.from({ length: turns }, (_, turn) => `${(at + 40 * turn).toFixed(3)},s${String(session)},12`);
  });
  await writeFile(join(folder, 'trace.csv'), ['time,user,in', ...sessions.flat()].join('\n'));
  const words = ['fit', 'trace.csv', '--columns', 'at=time,session=user,inputTokens=in,unit=ms'];
  const unsorted = await runCommand(words, { cwd: folder });
  expect(unsorted).toMatchObject({ code: 2, stderr: expect.stringContaining('--sort') as string });
  const source = await printed(folder, ...words, '--sort');
  await writeFile(join(folder, 'fitted.ts'), source);
  const { books, run } = await playedFile(folder, 'fitted.ts');
  expect([run.status, books.turns.failed]).toEqual(['completed', 0]);
  // Poisson arrivals and turns by chance: within five standard deviations.
  const started = books.sessions.started;
  expect(Math.abs(started - 150)).toBeLessThan(5 * Math.sqrt(150));
  expect(Math.abs(books.turns.planned / started - 2)).toBeLessThan((5 * 0.82) / Math.sqrt(started));
});
