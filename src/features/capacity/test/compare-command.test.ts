import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CapacityComparison } from '../compare/capacity-comparison.ts';
import { performCommand } from '../../../../test/support/command-in-process.ts';
import { folderWith, listable } from '../../../../test/support/results-folder.ts';
import { sampleCapacity } from './sample-capacity.ts';

const before = sampleCapacity({ places: 20 }, { label: 'v1' });
const slower = sampleCapacity({ places: 14 }, { label: 'v2', startedAt: '2026-11-02T08:00:00.000Z' });

describe('chat-load compare of capacities', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await folderWith({
      'a.json': before,
      'b.json': slower,
      'run.json': listable({ label: 'v1', startedAt: '2026-11-01T09:00:00.000Z' }),
    });
  });
  const compare = (...words: string[]) => performCommand(['compare', ...words], {}, folder);

  test('reports how much less the head holds, with the exit code and the last line of a regression', async () => {
    const { code, stdout } = await compare('a.json', 'b.json');
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^FAILED: the head sustains between \d+ % and \d+ % less load \(\d+ to \d+ concurrent sessions before/,
    );
  });

  test('finds them by label, even if results are in the same folder', async () => {
    const { code, stdout } = await compare('label:v1', 'label:v2', '--results', '.', '--format', 'json');
    const { base, head, verdict } = JSON.parse(stdout) as CapacityComparison;
    expect([code, verdict, base.label, head.label]).toEqual([1, 'regressed', 'v1', 'v2']);
    expect([base, head].map(({ searches }) => searches.length)).toEqual([1, 1]);
  });

  test('writes its files, and exits with 0 the other way round', async () => {
    const files = ['c.html', 'c.md', 'c.xml'].flatMap((file) => ['--report', file]);
    const { code, stdout } = await compare('b.json', 'a.json', ...files);
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      expect.stringMatching(/^PASSED, the head sustains/),
    ]);
    const written = await Promise.all(['c.html', 'c.md', 'c.xml'].map((file) => readFile(join(folder, file), 'utf8')));
    for (const text of written) expect(text).toContain('sustains between');
  });

  test.each([
    ['--fdr', '0.05'],
    ['--margin', 'turn.ok.p99=15%'],
    ['--assume-noise', '5%'],
    ['--history', 'history.json'],
    ['--no-history'],
  ])('refuses %s, which is for results', async (...flag) => {
    const { code, stderr } = await compare('a.json', 'b.json', ...flag);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag[0]} is for results of runs`)]);
  });

  test('rejects a mix of a result and a capacity', async () => {
    const { code, stderr } = await compare('a.json', 'run.json');
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be compared with a capacity')]);
  });

  test('refuses the capacities of two scenarios, with exit code 4', async () => {
    const other = await folderWith({
      'a.json': before,
      'b.json': { ...slower, scenario: { ...slower.scenario, hash: 'b'.repeat(64) } },
    });
    const { code, stdout } = await performCommand(['compare', 'a.json', 'b.json'], {}, other);
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([4, expect.stringMatching(/^INVALID: .*scenario/)]);
  });
});
