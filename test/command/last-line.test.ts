import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type RunningService } from '../../src/reference-service/start.ts';
import { embeddedDefaults, embeddedOptions } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, writeScenario } from '../support/command.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService(embeddedOptions.parse({}), { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await service.close();
});

const scenario = (apiKey: string, more: string): string =>
  `{ name: 'last', sessions: 3, turns: 2, messages: ['Hi'], retry: 'none', integrity: false, target: { apiKey: '${apiKey}' },
     ${more} }`;

const agent = ['--agent-id', embeddedDefaults.agentId];
const right = embeddedDefaults.apiKey;

test.each([
  ['a refused key', 'wrong', '', [], 3],
  ['a refused key, with --quiet', 'wrong', '', ['--quiet'], 3],
  ['a refused key in a batch', 'wrong', '', ['--repeat', '2'], 3],
  ['a function that throws', right, "messages: [() => { throw new Error('no'); }]", [], 2],
  ['a function that throws in a batch', right, "messages: [() => { throw new Error('no'); }]", ['--repeat', '2'], 2],
  ['a cap', right, 'maxTurns: 2', [], 0],
])('the verdict is the last line that a run shows, on whatever stream: %s', async (_, apiKey, more, words, code) => {
  const folder = await makeFolder();
  const path = await writeScenario(folder, scenario(apiKey, more));
  const ended = await performCommand(['run', path, '--out', folder, '--base-url', service.baseUrl, ...agent, ...words]);
  expect(ended.stderr, ended.shown).not.toBe('');
  expect(ended.code, ended.shown).toBe(code);
  expect(ended.shown.trimEnd().split('\n').at(-1)).toMatch(code === 0 ? /^PASSED/ : /^(FAILED|INVALID): \S/);
});
