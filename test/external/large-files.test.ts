import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, runCommand, writeScenario, type Ended } from '../support/command.ts';
import { peakOf, reportPeak } from '../support/peak-memory.ts';

let folder = '';
beforeAll(async () => {
  folder = await makeFolder();
  for (const name of ['large.jsonl', 'large.json', 'large.mjs', 'large.ndjson', 'large.csv']) writeLarge(name, '');
  writeLarge('large-line.csv', 'content,b\n');
  for (const columns of ['a,b', 'content,b'])
    writeFileSync(join(folder, `cells-${columns.slice(0, 1)}.csv`), `${columns}\n${','.repeat(40_000_000)}`);
  writeFileSync(join(folder, 'rows.csv'), `a\n${'1\n'.repeat(20_000_000)}`);
  writeFileSync(join(folder, 'rows.jsonl'), '1\n'.repeat(20_000_000));
  for (const name of ['csv', 'json', 'jsonl', 'mjs', 'ndjson', 'pem'])
    execFileSync('mkfifo', [join(folder, `pipe.${name}`)]);
  for (const file of ['large.jsonl', 'rows.jsonl', 'rows.csv', 'cells-a.csv', 'large.csv', 'pipe.jsonl', 'pipe.csv'])
    await writeScenario(
      folder,
      `{ name: 's', messages: ['a'], data: { rows: { file: './${file}' } }, sessions: 1, turns: 1, embedded: {} }`,
      `data-${file}.mjs`,
    );
  for (const file of ['cells-c.csv', 'large.csv', 'pipe.csv'])
    await writeScenario(
      folder,
      `{ name: 's', messages: { file: './${file}' }, sessions: 1, turns: 1, embedded: {} }`,
      `talks-${file}.mjs`,
    );
});

/** A sparse file of 1 GB: zeros after its first bytes. */
function writeLarge(name: string, start: string): void {
  const file = openSync(join(folder, name), 'w');
  writeSync(file, start);
  ftruncateSync(file, 1024 ** 3);
  closeSync(file);
}

/** Runs the built command; `peakMb` is its peak memory. */
async function perform(words: readonly string[]): Promise<Ended & { peakMb: number }> {
  const env = { ...reportPeak, CHAT_LOAD_CACHE: folder };
  const ended = await runCommand(words, { cwd: folder, env });
  return { ...ended, peakMb: peakOf(ended.stderr) };
}

const maxRead = 'it has 1024 MB, and at most 64 MB are read';

describe('a file that is larger than any of its kind is rejected with the limit, in bounded memory', () => {
  test.each<[string[], string]>([
    [['plan', 'data-large.jsonl.mjs'], maxRead],
    [['plan', 'data-large.csv.mjs'], maxRead],
    [['plan', 'data-cells-a.csv.mjs'], 'line 2 has more than 1,000,000 cells'],
    [['plan', 'data-rows.csv.mjs'], 'the file has more than 1,000,000 rows'],
    [['plan', 'data-rows.jsonl.mjs'], 'the file has more than 1,000,000 rows'],
    [['plan', 'talks-cells-c.csv.mjs'], 'line 2 has more than 1,000,000 cells'],
    [['plan', 'talks-large.csv.mjs'], 'its first line has more than 1 MB'],
    [['plan', 'large.mjs'], maxRead],
    [['serve', '--config', 'large.json'], maxRead],
    [['serve', '--tls-cert', 'large.json', '--tls-key', 'large.json'], maxRead],
    [['recover', 'large.ndjson'], 'its first line is longer than 64 MB'],
    [['report', 'large.json'], maxRead],
    [['dataset', 'inspect', 'large.csv'], 'its first line has more than 1 MB'],
    [['dataset', 'inspect', 'large-line.csv'], 'row 1 has more than 64 MB'],
    [['dataset', 'inspect', 'cells-a.csv'], 'line 2 has more than 1,000,000 cells'],
  ])('%j', async (words, problem) => {
    const { code, stderr, peakMb } = await perform(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(peakMb).toBeLessThan(400);
  });
});

describe('a named pipe that nobody writes to is rejected, not waited for', () => {
  test.each<[string[]]>([
    [['plan', 'data-pipe.jsonl.mjs']],
    [['plan', 'data-pipe.csv.mjs']],
    [['plan', 'talks-pipe.csv.mjs']],
    [['plan', 'pipe.mjs']],
    [['serve', '--config', 'pipe.json']],
    [['serve', '--tls-cert', 'pipe.pem', '--tls-key', 'pipe.pem']],
    [['recover', 'pipe.ndjson']],
    [['dataset', 'inspect', 'pipe.csv']],
  ])('%j', async (words) => {
    const { code, stderr } = await perform(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining('it is not a file')]);
  });
});
