import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../src/report/page/page.ts';
import type { Result } from '../../src/result/result.ts';
import { makeFolder, type Ended } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { releaseRun } from '../support/release-run.ts';
import { steppedTrend } from '../support/stepped-trend.ts';
import { regressed } from '../support/synthetic-comparison.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';

let folder: string;
const perform = (...words: string[]): Promise<Ended> => performCommand(words, {}, folder);
const keep = (file: string, document: object): Promise<void> => writeFile(join(folder, file), JSON.stringify(document));

/** The page that an HTML file draws. */
function pageIn(html: string): Page {
  const [, data = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(data) as Page;
}

const result = resultOf(finishedRun());
const labelled = (label: string): Result => ({ ...result, run: { ...result.run, label } });
const released = (id: string, slowness = 1): Result => releaseRun({ id, sitting: 'tonight', pair: '1', slowness });

/** Returns the same result with an interval whose histogram is invalid. */
function broken(): Result {
  const [interval, ...others] = result.intervals;
  if (interval === undefined) throw new Error('there is no interval');
  const latency = { lateness: { count: 1, sumMs: 1, minMs: 1, maxMs: 1, hdr: 'AAAA' } };
  return { ...result, intervals: [{ ...interval, latency }, ...others] };
}

beforeAll(async () => {
  folder = await makeFolder();
  await keep('base.json', labelled('v1'));
  await keep('head.json', labelled('v2'));
  await keep('comparison.json', regressed);
  await keep('trend.json', steppedTrend());
  await keep('broken.json', broken());
  await keep('slow.json', released('slow', 1.5));
  await keep('fast.json', released('fast'));
});

describe('report --format html', () => {
  test('puts several results on one page, in the order in which they are named', async () => {
    const { code, stdout } = await perform('report', 'head.json', 'base.json', '--format', 'html');
    expect(code).toBe(0);
    expect(pageIn(stdout).timelines.map(({ label }) => label)).toEqual(['v2', 'v1']);
  });

  test('writes the file that --report names, and nothing else', async () => {
    const { code, shown } = await performCommand(['report', 'base.json', '--report', 'page.html'], {}, folder);
    expect([code, shown]).toEqual([0, 'wrote     page.html\n']);
    const html = await readFile(join(folder, 'page.html'), 'utf8');
    expect(html).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
    expect(pageIn(html).kind).toBe('result');
  });

  test.each([
    ['comparison.json', 'comparison'],
    ['trend.json', 'trend'],
  ])('shows the content of %s', async (file, kind) => {
    const { code, stdout } = await perform('report', file, '--format', 'html');
    expect([code, pageIn(stdout).kind]).toEqual([0, kind]);
  });

  test.each([
    [
      ['base.json', 'comparison.json'],
      'The files contain several kinds of documents (result, comparison); a page shows one kind.',
    ],
    [['comparison.json', 'comparison.json'], 'A page shows one comparison, not 2.'],
    [['trend.json', 'trend.json'], 'A page shows one trend, not 2.'],
    [['broken.json'], 'broken.json contains a histogram that cannot be read: it is not an HDR V2 histogram'],
    [['base.json', 'broken.json', 'head.json'], 'broken.json contains a histogram that cannot be read'],
  ])('refuses %j as a wrong use, and explains why', async (files, message) => {
    const { code, stdout, stderr } = await perform('report', ...files, '--format', 'html');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test.each([
    ['NaN where a number belongs', (text: string) => text.replace(/"p95Ms":[\d.]+/, '"p95Ms":NaN'), 2, 'is not JSON'],
    ['a text there', (text: string) => text.replace(/"p95Ms":[\d.]+/, '"p95Ms":"NaN"'), 2, 'is not a whole result'],
    ['a newer version', (text: string) => text.replace(/"schemaVersion":\d+/, '"schemaVersion":99'), 4, '99'],
    [
      'a kind of its own',
      (text: string) => text.replace('chat-load/result', 'other/result'),
      2,
      'is not a result of chat-load',
    ],
  ])('reports the same error as the terminal for a result with %s', async (_, spoil, code, message) => {
    await writeFile(join(folder, 'spoilt.json'), spoil(JSON.stringify(result)));
    const asPage = await perform('report', 'spoilt.json', '--format', 'html');
    expect(asPage).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
    expect(asPage.stderr).toBe((await perform('report', 'spoilt.json')).stderr);
  });

  test('lists the formats of a document that has no page', async () => {
    await writeFile(join(folder, 'short.mjs'), "export default { name: 'short', sessions: 4, messages: ['Hi'] };");
    await writeFile(join(folder, 'plan.json'), (await perform('plan', 'short.mjs', '--json')).stdout);
    const { code, stderr } = await perform('report', 'plan.json', '--format', 'html');
    expect(code).toBe(2);
    expect(stderr).toContain('plan.json is a plan, which has no format html.\nFormats of a plan: terminal, json.');
  });

  test.each([
    ['base.json', 'hlog', 0, ''],
    ['comparison.json', 'hlog', 2, 'Formats of a comparison: terminal, html, markdown, junit, json.'],
    ['trend.json', 'junit', 2, 'Formats of a trend: terminal, html, markdown, json.'],
  ])('is among the formats of %s', async (file, format, code, hint) => {
    expect(await perform('report', file, '--format', format)).toMatchObject({
      code,
      stderr: expect.stringContaining(hint),
    });
  });
});

describe('compare', () => {
  test('--report writes the page next to the printed report, with both sides over time', async () => {
    const plain = await perform('compare', 'fast.json', 'slow.json');
    const { code, stdout } = await perform('compare', 'fast.json', 'slow.json', '--report', 'new/compared.html');
    expect([code, stdout]).toEqual([plain.code, plain.stdout]);
    const page = pageIn(await readFile(join(folder, 'new/compared.html'), 'utf8'));
    expect(page.kind).toBe('comparison');
    expect(page.timelines).toHaveLength(2);
    expect(plain.stdout.trimEnd().split('\n').at(-1)).toBe(page.verdict.sentence);
  });

  test('--format html prints it in the place of the terminal, with the same exit code', async () => {
    const { code, stdout } = await perform('compare', 'fast.json', 'slow.json', '--format', 'html');
    expect(code).toBe((await perform('compare', 'fast.json', 'slow.json')).code);
    expect(pageIn(stdout).timelines).toHaveLength(2);
  });
});
