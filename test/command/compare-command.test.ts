import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonSchemaOf } from '../../docs/json-schema.ts';
import { type Comparison } from '../../src/compare/document/comparison.ts';
import type { Result } from '../../src/result/result.ts';
import { makeFolder, type Ended } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { releaseRun, type ReleaseRun } from '../support/release-run.ts';

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(jsonSchemaOf('comparison'));

let folder: string;
const compare = (...words: string[]): Promise<Ended> => performCommand(['compare', ...words], {}, folder);

/** Three runs of a release in one batch, in their own folder. */
async function keep(name: string, options: Partial<ReleaseRun> = {}, runs = 3): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  for (let run = 1; run <= runs; run++) {
    const id = `${name}-${String(run)}`;
    const result = releaseRun({
      id,
      draw: name.length * 1000 + run,
      sitting: 'tonight',
      pair: String(run),
      ...options,
    });
    const labelled: Result = { ...result, run: { ...result.run, label: name } };
    await writeFile(join(folder, name, `${id}.json`), `${JSON.stringify(labelled, null, 1)}\n`);
  }
}

beforeAll(async () => {
  folder = await makeFolder();
  await keep('v1');
  await keep('v1-again');
  await keep('slower-by-half', { slowness: 1.5 });
  await keep('other', { scenario: { thinkTime: '2s' } });
  await keep('one', {}, 1);
  await keep('second-night', { slowness: 1.62, sitting: 'a night later', pair: null });
});

test('several files for a side, as an unquoted pattern gives them, need --base and --head', async () => {
  const { code, stderr } = await compare('v1/v1-1.json', 'v1/v1-2.json', 'v1-again/v1-again-1.json');
  expect(code).toBe(2);
  expect(stderr).toContain('compare takes one place for each side.');
  expect(stderr).toContain('chat-load compare --base a1.json a2.json --head b1.json b2.json');
});

describe('the verdict is the exit code', () => {
  test.each<[string, string[], number, string]>([
    ['0 where nothing got worse', ['v1', 'v1-again'], 0, ''],
    ['1 for a regression', ['v1', 'slower-by-half'], 1, 'REGRESSED  turn.ok.p50 +50'],
    ['0 for an improvement', ['slower-by-half', 'v1'], 0, 'IMPROVED'],
    ['4 for other scenarios, with the keys that differ', ['v1', 'other'], 4, 'plan.options.thinkTime'],
    [
      '0 for one run per side and no history, which is reported first',
      ['one/one-1.json', 'v1/v1-1.json'],
      0,
      'INCONCLUSIVE  One run',
    ],
    [
      '1 for the same, for the strict',
      ['one/one-1.json', 'v1/v1-1.json', '--fail-on', 'inconclusive'],
      1,
      'INCONCLUSIVE',
    ],
    [
      '1 for a second night that is 62 % slower, with no history of any other',
      ['v1', 'second-night'],
      1,
      'REGRESSED  One batch of runs per side and no history: batches are assumed to differ by 5 %',
    ],
    [
      '0 for the same with an assumed noise of 40 %',
      ['v1', 'second-night', '--assume-noise', '40%'],
      0,
      'batches are assumed to differ by 40 %',
    ],
    ['1 for other scenarios by force, if it is slower', ['other', 'slower-by-half', '--force'], 1, 'Forced'],
    ['4 for runs compared with themselves', ['v1', 'v1'], 4, 'NOT COMPARABLE'],
  ])('%s', async (_, words, code, said) => {
    const ended = await compare(...words);
    expect([ended.code, ended.stderr]).toEqual([code, '']);
    expect(ended.stdout.replace(/\s+/g, ' ')).toContain(said.replace(/\s+/g, ' '));
    const lines = ended.stdout.trimEnd().split('\n');
    expect(lines.slice(0, -1).filter((line) => line.length > 80)).toEqual([]);
    expect(lines.at(-1)).toMatch(
      ended.code === 0 ? /^(PASSED|INCONCLUSIVE: )/ : ended.code === 4 ? /^INVALID: / : /^FAILED: /,
    );
  });
});

describe('sides are given', () => {
  const documentOf = async (...words: string[]): Promise<Comparison> =>
    JSON.parse((await compare(...words, '--format', 'json')).stdout) as Comparison;
  const files = ({ base, head }: Comparison): (string | null)[][] =>
    [base, head].map(({ runs }) => runs.map(({ file }) => file));
  const of = (name: string): string[] => [1, 2, 3].map((run) => join(name, `${name}-${String(run)}.json`));

  test.each<[string, string[]]>([
    ['as folders', ['v1', 'v1-again']],
    ['as patterns', ['v1/*.json', 'v1-again/v1-again-?.json']],
    ['as lists', ['--base', ...of('v1'), '--head', ...of('v1-again')]],
    ['as a file and more', ['v1/v1-1.json', 'v1-again', '--base', 'v1/v1-2.json', 'v1/v1-3.json']],
  ])('%s', async (_, words) => {
    expect(files(await documentOf(...words))).toEqual([of('v1'), of('v1-again')]);
  });

  test('by label', async () => {
    const comparison = await documentOf('label:v1', 'label:v1-again', '--results', 'v1', '--head', 'v1-again');
    expect(files(comparison)).toEqual([of('v1'), of('v1-again')]);
  });

  test('and the document keeps its schema', async () => {
    const comparison = await documentOf('v1', 'slower-by-half');
    expect(validate(comparison) ? [] : validate.errors).toEqual([]);
    expect([comparison.base.label, comparison.head.label]).toEqual(['v1', 'slower-by-half']);
  });
});

test('every format is printed, and files are written too', async () => {
  const ended = await compare(
    'v1',
    'slower-by-half',
    '--format',
    'markdown',
    '--report',
    'out/c.xml',
    '--report',
    'out/c.md',
  );
  expect(ended.stdout).toMatch(/^### REGRESSED/);
  expect(await readFile(join(folder, 'out/c.md'), 'utf8')).toBe(ended.stdout);
  expect(await readFile(join(folder, 'out/c.xml'), 'utf8')).toContain('<failure');
  expect((await compare('v1', 'slower-by-half', '--format', 'junit')).stdout).toContain('<testsuite');
});

test('a configured margin decides', async () => {
  const creations = ['p50', 'p95', 'mean'].map((name) => `sessionCreate.${name}`);
  const words = ['turn.ok.p50', 'turn.ok.p99', 'turn.ok.mean', 'attempt.ok.p99', ...creations];
  const margins = words.flatMap((name) => ['--margin', `${name}=90%`]);
  expect((await compare('v1', 'slower-by-half', ...margins)).code).toBe(0);
});

describe('unreadable input is named, with a remedy', () => {
  test.each<[string, string | undefined, number, string]>([
    ['cut.json', '{"kind":"chat-load/result","schemaVersion":1,"run":{', 2, 'is cut off: its end is missing'],
    ['empty.json', '', 2, 'is empty'],
    ['foreign.json', '{"kind":"chat-load/history","schemaVersion":1}', 2, 'a history of chat-load, not a result'],
    ['other.json', '[1,2]', 2, 'not a result of chat-load'],
    ['newer.json', '{"kind":"chat-load/result","schemaVersion":99}', 4, 'upgrade this one'],
    ['older.json', '{"kind":"chat-load/result","schemaVersion":0}', 4, 'measure again'],
    ['partial.json', '{"kind":"chat-load/result","schemaVersion":1}', 2, 'is not a whole result'],
    ['nowhere.json', undefined, 2, 'No such file or folder:'],
  ])('%s', async (name, text, code, said) => {
    if (text !== undefined) await writeFile(join(folder, name), text);
    const ended = await compare('v1', name);
    expect([ended.code, ended.stdout]).toEqual([
      code,
      expect.stringMatching(code === 4 ? /^INVALID: [^\n]+\n$/ : /^FAILED: [^\n]+\n$/),
    ]);
    expect(ended.stderr).toContain(name);
    expect(ended.stderr).toContain(said);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  test('a side without results', async () => {
    const ended = await compare('v1');
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('No results for the head.')]);
  });
});

describe('a release against itself', () => {
  test('has few false alarms, and reports their share', async () => {
    await keep('ten', {}, 10);
    const ended = await compare('ten', '--self-test');
    expect(ended.stdout).toMatch(
      /^ten: 10 runs split into two sides of 5, 200 times: \d+ false alarms \(.+ %?;? ?.*\)\.$/m,
    );
    expect(ended.code).toBe(0);
  });

  test('needs ten runs', async () => {
    const ended = await compare('v1', '--self-test');
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('needs at least ten runs of one release')]);
  });
});
