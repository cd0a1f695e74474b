import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import picocolors from 'picocolors';
import { beforeAll, describe, expect, test } from 'vitest';
import { renderFile } from '../../src/app/report.ts';
import { printableJson } from '../../src/base/printable.ts';
import { type Format, renderDocument } from '../../src/report/documents.ts';
import { root } from '../support/command.ts';
import { calibrationDocument } from '../support/measured-documents.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';
import { performCommand } from '../support/command-in-process.ts';

const style = { width: 80, colors: picocolors.createColors(false) };
const baseline = join(root, 'results/baseline');
const baselines = readdirSync(baseline)
  .filter((name) => name.endsWith('.json'))
  .map((name) => join(baseline, name));
const [one = '', ...others] = baselines;

let folder: string;
let scenario: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'print-again-'));
  scenario = join(folder, 'short.mjs');
  writeFileSync(scenario, `export default { name: 'short', sessions: 4, turns: 2, messages: ['Hi {{uuid}}'] };\n`);
});

const keep = (text: string, name = 'document.json'): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
/** Prints a command. Descriptors that this process has open differ from call to call. */
const outputOf = async (words: readonly string[]): Promise<string> =>
  (await performCommand(words)).stdout.replace(
    /\d+ reserved for the process itself: at most [\d,]+/,
    'N reserved for the process itself: at most M',
  );
const again = async (words: readonly string[]): Promise<string> =>
  outputOf(['report', keep((await performCommand([...words, '--json'])).stdout)]);

describe('report prints the same as the command, from its --json', () => {
  test.each([
    ['plan', () => ['plan', scenario, '--preview', '3']],
    ['plan of open load without a bound', () => ['plan', scenario, '--rate', '500']],
    ['run --dry-run', () => ['run', scenario, '--dry-run', '--out', folder]],
    ['compare', () => ['compare', '--base', one, '--head', ...others]],
    ['compare, refused', () => ['compare', keep(JSON.stringify(resultOf(finishedRun())), 'other.json'), one]],
    ['compare --fail-on inconclusive', () => ['compare', one, one, '--force', '--fail-on', 'inconclusive']],
    ['trend', () => ['trend', baseline]],
    ['trend --fail-on', () => ['trend', baseline, '--fail-on', 'change']],
  ])('%s', async (_, words) => {
    const printed = await outputOf(words());
    expect(printed.length).toBeGreaterThan(200);
    expect(await again(words())).toBe(printed);
  });

  test('run and recover: the result file, at any path', async () => {
    const printed = await outputOf(['run', scenario, '--out', folder, '--keep-journal']);
    const path = /^result {4}(.*\.json)$/m.exec(printed)?.[1] ?? '';
    expect(await outputOf(['report', path])).toBe(printed);
    const recovered = await outputOf(['recover', path.replace(/json$/, 'ndjson')]);
    expect(await outputOf(['report', /^result {4}(.*\.json)$/m.exec(recovered)?.[1] ?? ''])).toBe(recovered);
  });

  test('check: all but the time that it took', async () => {
    const words = ['check', '--only', 'memory', '--only', 'two-at-once'];
    const printed = await outputOf(words);
    expect(printed).toMatch(/PASSED|FAILED|INVALID/);
    const timeless = (text: string): string => text.replace(/after \d+ s/, 'after some time').replace(/QX\d+/g, 'QX');
    expect(timeless(await again(words))).toBe(timeless(printed));
  });
});

describe('a document of a long measurement is printed the same from its file and from memory', () => {
  test('a calibration, with the load that was too much', async () => {
    const text = await renderFile(keep(printableJson(calibrationDocument, 2)), 'terminal', style);
    expect(text).toBe(await renderDocument(calibrationDocument, { format: 'terminal', style }));
    expect(text.replace(/\s+/g, ' ')).toContain(
      '500 turns/s with replies after 250 ms exceeds the capacity of this generator',
    );
  });

  test('a check as JUnit', async () => {
    const { stdout } = await performCommand(['check', '--only', 'memory', '--json']);
    expect(await renderFile(keep(stdout), 'junit', style)).toContain('<testcase');
  });
});

describe('report refuses', () => {
  const report = (...words: string[]) => performCommand(['report', ...words]);
  const planFile = async (): Promise<string> => keep(await outputOf(['plan', scenario, '--json']), 'plan.json');

  test.each<Format>(['junit', 'csv', 'hlog', 'json'])('several files as one %s document', async (format) => {
    const { code, stderr } = await report(one, one, '--format', format);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Several files cannot be one ${format} document.`)]);
  });

  test('a format that there is none of', async () => {
    const { code, stderr } = await report(one, '--format', 'pdf');
    expect([code, stderr]).toEqual([2, expect.stringContaining('pdf')]);
  });

  test('a format that the document does not have, and lists the available ones', async () => {
    const { code, stdout, stderr } = await report(await planFile(), '--format', 'junit');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('is a plan, which has no format junit.\nFormats of a plan: terminal, json.');
  });

  test.each([
    ['{"hello": 1}', 'is not a result of chat-load'],
    ['{"kind": "chat-load/plan"', 'is cut off'],
    ['', 'is empty'],
    ['{"kind": "chat-load/plan", "schemaVersion": 1}', 'is not a whole plan: toolVersion'],
  ])('a file that is not a document: %j', async (text, problem) => {
    const { code, stderr } = await report(keep(text));
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  test('a document of a version that it cannot read', async () => {
    const { code, stderr } = await report(keep('{"kind": "chat-load/calibration", "schemaVersion": 3}'));
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('is a calibration of schema version 3; this chat-load reads 1'),
    ]);
  });

  test('a file that is not there, and one that cannot be written', async () => {
    expect(await report(join(folder, 'nowhere.json'))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('no such file') as string,
    });
    expect(await report(one, '--report', join(one, 'report.txt'))).toMatchObject({ code: 3, stdout: '' });
  });
});

test('report prints several documents of different kinds, one after another', async () => {
  const plan = keep(await outputOf(['plan', scenario, '--json']), 'plan.json');
  const printed = await outputOf(['report', plan, one]);
  expect(printed).toBe(`${(await outputOf(['report', plan])).trimEnd()}\n\n${await outputOf(['report', one])}`);
});
