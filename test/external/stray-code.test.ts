import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, readResult, runCommand } from '../support/command.ts';

/** Runs a scenario with a custom message function, in the folder of the scenario. */
async function runWith(act: string, name: 'stray.ts' | 'stray.mjs') {
  const cwd = await makeFolder();
  // Only TypeScript files import the package.
  const [first, begin, end] =
    name === 'stray.ts' ? ["import { defineScenario } from 'chat-load';", 'defineScenario(', ')'] : ['', '', ''];
  const text = `${first}
export default ${begin}{ name: 'stray', sessions: 2000, load: { concurrency: 2 }, messages: ({ session }) => {
  if (session.number === 3) ${act};
  return 'Hi';
} }${end};
`;
  await writeFile(join(cwd, name), text);
  return { cwd, ...(await runCommand(['run', name, '--out', 'results'], { cwd })) };
}

test.each([
  ['a promise that nobody waits for is rejected', `void Promise.reject(new Error('no database'))`, 'no database'],
  ['a timer throws', `setTimeout(() => { throw new Error('too late'); }, 1)`, 'too late'],
  ['a promise is rejected with a text', `void Promise.reject('no stack')`, 'no stack'],
])('%s in the code of a scenario: a scenario error, with the result', async (_, act, words) => {
  const { code, stderr, cwd } = await runWith(act, 'stray.mjs');
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(stderr).toContain('The scenario stray failed');
  expect(stderr).not.toMatch(/bug in chat-load| at .*dist/);
  const { run, books } = await readResult(join(cwd, 'results'));
  expect([run.status, run.stop?.kind, books.balanced]).toEqual(['stopped', 'scenario_error', true]);
});

test('process.exit() in the code of a scenario is reported, exits with 2 and leaves the journal', async () => {
  const { code, stderr, cwd } = await runWith('process.exit(0)', 'stray.ts');
  const names = await readdir(join(cwd, 'results'));
  expect([code, names]).toEqual([2, [expect.stringMatching(/^stray-.*\.ndjson$/)]]);
  expect(stderr).toMatch(/The scenario stray called process\.exit\(\) \(stray\.ts:3:\d+\)/);
  expect(stderr).toContain(`chat-load recover ${join('results', names[0] ?? '')}`);
});
