import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, runCommand } from '../support/command.ts';

/** A conversation of two turns: the file has been read completely when its last reply is checked. */
const talk = '{"messages":[{"role":"user","content":"One"},{"role":"user","content":"?"},{"role":"assistant","content":"A"},{"role":"user","content":"Two"}]}'; // prettier-ignore

/** Seconds since 1970, without fractions, so that the time can be restored exactly. */
const changedAt = 1_700_000_000;

/** A folder with a scenario whose last check does something to its file of conversations. */
async function folderWith(change: string): Promise<string> {
  const folder = await makeFolder();
  const file = join(folder, 'talks.jsonl');
  await writeFile(file, `${talk}\n`);
  await utimes(file, changedAt, changedAt);
  await writeFile(
    join(folder, 'scenario.mjs'),
    `import { appendFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
    import { fromFile } from 'chat-load';
    const file = ${JSON.stringify(file)};
    const talk = ${JSON.stringify(`${talk}\n`)};
    const change = () => { ${change} };
    const checks = { last: (reply, { turn }) => { if (turn.number === 2) change(); return true; } };
    export default { name: 'changed', sessions: 2, load: { concurrency: 2 }, checks, messages: fromFile('talks.jsonl') };`,
  );
  return folder;
}

const words = ['run', 'scenario.mjs', '--out', 'out'];

test.each([
  ['appended to', `appendFileSync(file, talk);`, /it has \d+ bytes more than before/],
  ['cut', `truncateSync(file, 20);`, /it has \d+ bytes less than before/],
  ['overwritten', `writeFileSync(file, talk.replace('One', 'Six'));`, /it was written to/],
  [
    'overwritten, with the time of its change put back,',
    `writeFileSync(file, talk.replace('One', 'Six')); utimesSync(file, ${String(changedAt)}, ${String(changedAt)});`,
    /it was written to/,
  ],
])('a small file of conversations that is %s after it was read ends the run', async (_, change, how) => {
  const folder = await folderWith(change);
  const { code, stdout, stderr } = await performCommand(words, {}, folder);
  expect([code, stderr]).toEqual([2, expect.stringMatching(how)]);
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
    /^FAILED: stopped: .*talks\.jsonl has changed since it was opened/,
  );
  const { run, books } = await readResult(join(folder, 'out'));
  expect([run.status, run.stop?.kind, books.turns.ok]).toEqual(['stopped', 'scenario_error', 4]);
});

test('a change of the file also ends a run on several cores', async () => {
  const folder = await folderWith('appendFileSync(file, talk);');
  const { code, stdout } = await runCommand([...words, '--cores', '2'], { cwd: folder });
  expect([code, stdout]).toEqual([2, expect.stringMatching(/FAILED: stopped: .*talks\.jsonl has changed/)]);
});

test('replacing the file does not end the run, which has read its own copy', async () => {
  const folder = await folderWith(`writeFileSync(file + '.new', 'x'); renameSync(file + '.new', file);`);
  const { code, stdout } = await performCommand(words, {}, folder);
  expect(code, stdout).toBe(0);
});
