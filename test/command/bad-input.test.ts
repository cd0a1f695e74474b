import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, type Ended } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { unusedPort } from '../support/http-peer.ts';

const min = "name: 'x', messages: ['hi'], sessions: 1, embedded: {}";
const remote = { CHAT_LOAD_API_KEY: 'sk-secret-key' };
let folder = '';

beforeAll(async () => {
  folder = await makeFolder();
});

/** Requirements for any bad input: a readable message, no stack, no key, no partial file. */
async function expectError(ended: Ended, code: number, words: readonly string[]): Promise<void> {
  for (const word of words) expect(ended.stderr).toContain(word);
  expect(ended.stderr).not.toMatch(/\n\s+at .*:\d+/);
  expect(ended.stderr + ended.stdout).not.toContain('sk-secret-key');
  expect(ended.code).toBe(code);
  expect((await readdir(folder)).filter((name) => name.endsWith('.json') || name.endsWith('.tmp'))).toEqual([]);
}

const run = (path: string, words: readonly string[] = [], env = {}): Promise<Ended> =>
  performCommand(['run', path, '--out', folder, ...words], env);

let written = 0;

/** Writes a scenario to a separate file, because modules are loaded once; `body` is the text of the object. */
async function writeScenario(body: string): Promise<string> {
  const path = join(folder, `scenario-${String(++written)}.mjs`);
  await writeFile(path, `export default ${body};\n`);
  return path;
}

describe('bad input', () => {
  test.each<[string, string, string[]]>([
    ['an unknown key', `{ ${min}, sesions: 3 }`, ["unknown key 'sesions': did you mean 'sessions'?"]],
    [
      'several problems at once',
      "{ name: 'x', messages: ['{{nope}}'], sessions: 0, timeout: 'x' }",
      ['sessions: ', 'timeout: expected a duration'],
    ],
    [
      'a template with an unknown name',
      `{ ${min}, messages: ['{{sesion.number}}'] }`,
      ["messages[0]: {{sesion.number}}: unknown name 'sesion.number': did you mean 'session.number'?"],
    ],
    [
      'a base URL that is none',
      `{ ${min}, target: { baseUrl: 'agent.example' } }`,
      ['target.baseUrl: has no scheme: did you mean https://agent.example?'],
    ],
    [
      'a base URL from a variable that is not set',
      `{ ${min}, target: { baseUrl: process.env.AGENT_URL_NOT_SET } }`,
      ['target.baseUrl: is set but undefined', 'an environment variable that is not set', "set it to 'embedded'"],
    ],
    [
      'a base URL without key and agent',
      `{ ${min}, target: { baseUrl: 'http://127.0.0.1:9' } }`,
      ['target.apiKey: is required', 'target.agentId: is required'],
    ],
    [
      'a data file that is not there',
      `{ ${min}, data: { rows: { file: 'rows.csv' } } }`,
      ['Cannot read the list data.rows'],
    ],
  ])('%s ends with 2 and the remedy, and nothing is sent', async (_, body, words) => {
    await expectError(await run(await writeScenario(body)), 2, words);
  });

  test.each([
    ['does not exist', 'nowhere.ts', undefined, 'No scenario file at'],
    ['does not parse', 'broken.ts', 'export default {{{', 'broken.ts cannot be loaded'],
    ['has no default export', 'empty.ts', 'export const a = 1;', 'the default export must be defineScenario'],
  ])('a scenario file that %s ends with 2', async (_, name, text, words) => {
    const path = join(folder, name);
    if (text !== undefined) await writeFile(path, text);
    await expectError(await run(path), 2, [words]);
  });

  test.each([['run', 'SCENARIO'], ['check'], ['calibrate']])(
    'an empty --base-url of %s ends with 2',
    async (...words) => {
      const path = await writeScenario(`{ ${min} }`);
      const given = words.map((word) => (word === 'SCENARIO' ? path : word));
      await expectError(await performCommand([...given, '--base-url', '']), 2, [
        '--base-url is empty. Is a variable unset?',
      ]);
      const unset = await performCommand(given, { CHAT_LOAD_BASE_URL: '' });
      await expectError(unset, 2, ['CHAT_LOAD_BASE_URL: is set but empty']);
    },
  );

  test('a folder that cannot be written to ends with 3, before anything is sent', async () => {
    const blocked = join(folder, 'file-not-folder');
    await writeFile(blocked, '');
    const path = await writeScenario(`{ ${min} }`);
    await expectError(await performCommand(['run', path, '--out', blocked]), 3, ['Cannot write to', '--out']);
    const readOnly = join(folder, 'read-only');
    await mkdir(readOnly);
    await chmod(readOnly, 0o555);
    // Root may write anywhere, so the permission does not stop it.
    if (process.getuid?.() !== 0)
      await expectError(await performCommand(['run', path, '--out', readOnly]), 3, ['Cannot write to']);
  });

  test('a target that refuses connections ends with 3', async () => {
    const port = await unusedPort();
    const path = await writeScenario(`{ ${min} }`);
    await expectError(
      await run(path, ['--base-url', `http://127.0.0.1:${String(port)}`, '--agent-id', 'a'], remote),
      3,
      ['refused', `127.0.0.1:${String(port)}`],
    );
  });
});
