import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, readResult, runCommand } from '../support/command.ts';

/** Runs a scenario whose message function does something of its own, in the folder of the scenario. */
async function runWith(act: string, command = 'run') {
  const cwd = await makeFolder();
  const text = `import { defineScenario } from 'chat-load';
export default defineScenario({ name: 'stray', sessions: 2000, load: { concurrency: 2 }, messages: ({ session }) => {
  if (session.number === 3) ${act};
  return 'Hi';
} });
`;
  await writeFile(join(cwd, 'stray.ts'), text);
  return { cwd, ...(await runCommand([command, 'stray.ts', '--out', 'results'], { cwd })) };
}

test.each([
  ['a promise that nobody waits for is rejected', `void Promise.reject(new Error('no database'))`, 'no database'],
  ['a timer throws', `setTimeout(() => { throw new Error('too late'); }, 1)`, 'too late'],
  ['a promise is rejected with a text', `void Promise.reject('no stack')`, 'no stack'],
])('%s in the code of a scenario: a scenario error, with the result', async (_, act, words) => {
  const { code, stderr, cwd } = await runWith(act);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(stderr).toContain('The scenario stray failed');
  expect(stderr).not.toMatch(/bug in chat-load| at .*dist/);
  const { run, books } = await readResult(join(cwd, 'results'));
  expect([run.status, run.stop?.kind, books.balanced]).toEqual(['stopped', 'scenario_error', true]);
});

test('process.exit() in the code of a scenario is reported, exits with 2 and leaves the journal', async () => {
  const { code, stderr, cwd } = await runWith('process.exit(0)');
  const names = await readdir(join(cwd, 'results'));
  expect([code, names]).toEqual([2, [expect.stringMatching(/^stray-.*\.ndjson$/)]]);
  expect(stderr).toMatch(/The scenario stray called process\.exit\(\) \(stray\.ts:3:\d+\)/);
  expect(stderr).toContain(`chat-load recover ${join('results', names[0] ?? '')}`);
});
