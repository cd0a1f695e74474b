import fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentName } from '../../src/plan/overlay.ts';
import { scenarioOptions } from '../../src/scenario/scenario-options.ts';
import type { Ended } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { fuzz } from './fuzz.ts';
import { loadedNames, weirdText } from './weird.ts';

/**
 * Commands with leading arguments that prevent any request, whatever follows: a missing scenario, one that only `plan`
 * accepts, or a missing config file.
 */
const starts: readonly (readonly string[])[] = [
  ['run', 'nowhere.ts'],
  ['run', 'remote.mjs'],
  ['plan', 'plain.mjs'],
  ['plan', 'nowhere.ts'],
  ['ab', 'nowhere.ts', '--base', 'http://127.0.0.1:9', '--head', 'http://127.0.0.1:9'],
  ['compare', 'none', 'none'],
  ['trend', 'empty'],
  ['check', 'nowhere.ts'],
  ['calibrate', 'nowhere.ts'],
  ['recover', 'nowhere.ndjson'],
  ['serve', '--config', 'nowhere.json'],
  ['run'],
  ['plan'],
  ['ab'],
  ['compare'],
  ['recover'],
  ['help'],
  ['rnu'],
  [],
];

const own =
  'label out repeat quiet q json keep-journal dry-run reply-time preview base head base-agent-id head-label pairs confirm ' +
  'pause margin fdr history no-history force fail-on format markdown junit in self-test scenario metric alpha window recent ' +
  'chat-off-agent variable remember recall only max-connections step-duration port host latency capacity rate-limit ' +
  'completions-url completions-model tls-cert tls-key help version h v x yz no-out no-quiet out.a seed.__proto__ _ $0 ' +
  'replyTime baseUrl concurency no-';
const flags = [...scenarioOptions.flatMap(({ flag }) => flag ?? []), ...own.split(' '), ...loadedNames];

// Without slashes: whatever takes a word for a path stays in the folder that is there for it.
const word = weirdText.map((text) => text.replaceAll('/', '_').replaceAll('..', '_'));
const value = fc.oneof(
  word,
  fc.constantFrom(
    '',
    '3',
    '-3',
    '0',
    '1.5',
    '1e999',
    'NaN',
    '0x10',
    '9'.repeat(30),
    '10',
    '10s',
    'true',
    'maybe',
    'é',
    '--',
  ),
  fc.constantFrom('turn.p95=10%', 'file', 'x=y', 'http://127.0.0.1:9', 'nonsense://', 'memory', 'inconclusive', 'json'),
);
const flag = fc.tuple(fc.constantFrom('--', '--', '--', '-'), fc.constantFrom(...flags)).map((parts) => parts.join(''));
const pieces = fc.oneof(
  { arbitrary: fc.tuple(flag, value).map(([name, given]) => [name, given]), weight: 4 },
  { arbitrary: fc.tuple(flag, value).map(([name, given]) => [`${name}=${given}`]), weight: 2 },
  { arbitrary: flag.map((name) => [name]), weight: 3 },
  { arbitrary: value.map((given) => [given]), weight: 1 },
);
const environments = fc.dictionary(
  fc.constantFrom(
    'CHAT_LOAD_OUT',
    'CHAT_LOAD_LABEL',
    ...scenarioOptions.flatMap((option) => (option.secret ? [] : (environmentName(option) ?? []))),
  ),
  // Environment variables cannot contain NUL.
  value.map((text) => text.replaceAll('\0', '')),
  { maxKeys: 2 },
);

export const commandLines = fc.record({
  words: fc
    .tuple(fc.constantFrom(...starts), fc.array(pieces, { maxLength: 4 }))
    .map(([start, rest]) => [...start, ...rest.flat()]),
  env: fc.oneof({ arbitrary: fc.constant({}), weight: 3 }, { arbitrary: environments, weight: 1 }),
});

/** Creates a folder with the files that the arguments name; none of them leads to a service. */
export function makeCommandFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chat-load-words-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const scenario = "name: 'x', messages: ['hi'], sessions: 2, gates: { 'turn.p95': '< 1s' }";
  writeFileSync(join(folder, 'plain.mjs'), `export default { ${scenario} };\n`);
  const target = "target: { baseUrl: 'https://agent.invalid', apiKey: 'k', agentId: 'a' }";
  writeFileSync(join(folder, 'remote.mjs'), `export default { ${scenario}, ${target}, gates: { nonsense: '< 1' } };\n`);
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'empty'));
  return folder;
}

/** Requires a documented exit code (0 to 4) and a message without a stack trace. */
export function requireWords({ code, stdout, stderr }: Ended): void {
  const said = stdout + stderr;
  if (code === null || code < 0 || code > 4) throw new Error(`it ended with ${String(code)}: ${said}`);
  if (/^\s+at .*:\d+/m.test(said) || said.includes('bug in chat-load')) throw new Error(`it shows a stack: ${said}`);
  if (code > 0 && stderr.trim() === '') throw new Error(`it ended with ${String(code)} without a word`);
}

export const commandLineFuzz = fuzz(
  { name: 'any command line ends in words, with a code from 0 to 4', runs: 150 },
  commandLines,
  async ({ words, env }) => {
    const before = process.cwd();
    folder ??= makeCommandFolder();
    process.chdir(folder);
    try {
      requireWords(await performCommand(words, env));
    } finally {
      process.chdir(before);
    }
  },
);

let folder: string | undefined;
