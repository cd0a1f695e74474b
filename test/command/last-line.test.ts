import { expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, writeScenario } from '../support/command.ts';

const scenario = (more: string): string =>
  `{ name: 'last', sessions: 3, turns: 2, messages: ['Hi'], retry: 'none', integrity: false,
     ${more} }`;

test.each([
  ['a refused key', "target: { apiKey: 'wrong' }", [], 3],
  ['a refused key, told quietly', "target: { apiKey: 'wrong' }", ['--quiet'], 3],
  ['a refused key in a sitting', "target: { apiKey: 'wrong' }", ['--repeat', '2'], 3],
  ['a function that throws', "messages: [() => { throw new Error('no'); }]", [], 2],
  ['a function that throws in a sitting', "messages: [() => { throw new Error('no'); }]", ['--repeat', '2'], 2],
  ['a cap', 'maxTurns: 2', [], 0],
])('the verdict is the last line that a run shows, on whatever stream: %s', async (_, more, words, code) => {
  const folder = await makeFolder();
  const path = await writeScenario(folder, scenario(more));
  const ended = await performCommand(['run', path, '--out', folder, ...words]);
  expect(ended.stderr, ended.shown).not.toBe('');
  expect(ended.code, ended.shown).toBe(code);
  expect(ended.shown.trimEnd().split('\n').at(-1)).toMatch(code === 0 ? /^PASSED/ : /^(FAILED|INVALID): \S/);
});
