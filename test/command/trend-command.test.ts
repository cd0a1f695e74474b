import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { historySchema } from '../../src/compare/document/history.ts';
import { trendSchema } from '../../src/compare/trend/trend.ts';
import type { Result } from '../../src/result/result.ts';
import { makeFolder } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { noiseAt, startOf } from '../support/sample-nights.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';

const nights = 24;
const changed = 17;

const base = resultOf(finishedRun({ sessions: 400 }));

/** Returns the run with `factor` times its duration: its turn rate is lower by the same factor. */
const longer = (result: Result, factor: number): Result => ({
  ...result,
  rates: { ...result.rates, measuredMs: result.rates.measuredMs * factor },
});

const nightly = (night: number): Result => {
  const run = { ...base.run, id: `run-${String(night)}`, startedAt: startOf(night), endedAt: startOf(night, 5) };
  const git = { commit: `${String(night).padStart(2, '0')}abcdef01234567`, branch: 'main', dirty: false };
  const environment = base.environment === null ? null : { ...base.environment, git };
  const factor = Math.exp(noiseAt(night)) * (night < changed ? 1 : 1.25);
  return longer({ ...base, run, environment, validity: { verdict: 'valid', reasons: [] } }, factor);
};

const nameOf = (night: number): string => `smoke-${String(night).padStart(2, '0')}.json`;

let folder: string;
beforeAll(async () => {
  folder = join(await makeFolder(), 'results');
  await mkdir(folder);
  for (let night = 0; night < nights; night++)
    await writeFile(join(folder, nameOf(night)), `${JSON.stringify(nightly(night), null, 1)}\n`);
  const whole = JSON.stringify(nightly(0), null, 1);
  await writeFile(join(folder, 'cut.json'), whole.slice(0, -5000));
  await writeFile(join(folder, 'foreign.json'), '{"name": "something else"}');
});

describe('chat-load trend', () => {
  test('finds the night of a change, names the result and keeps the history where configured', async () => {
    const kept = join(folder, 'history.json');
    const { code, stdout, stderr } = await performCommand(['trend', folder, '--history', kept]);
    const text = stdout.replace(/\s+/g, ' ');
    expect([code, stderr]).toEqual([0, '']);
    expect(text).toMatch(/2026-10-18: rates\.turnsPerSecond .(19|20|21)\.\d %/);
    expect(text).toContain(`first in ${nameOf(changed)}, commits 16abcdef01..17abcdef01, 7 batches since`);
    expect(text).toContain('cut.json is cut off');
    expect(text).toContain('foreign.json is not a result of chat-load');
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('history'))).toEqual([]);
    const history = historySchema.parse(JSON.parse(await readFile(kept, 'utf8')));
    expect(history.groups).toHaveLength(1);
    expect(history.groups[0]?.metrics['rates.turnsPerSecond']).toMatchObject({ sittingDegrees: nights - changed - 1 });
  });

  test('returns the same answer for the same folder, and skips its own history', async () => {
    const again = () => performCommand(['trend', folder, '--history', join(folder, 'history.json')]);
    const history = await readFile(join(folder, 'history.json'), 'utf8');
    const { stdout } = await again();
    expect(stdout).not.toContain('history.json is');
    expect(await readFile(join(folder, 'history.json'), 'utf8')).toBe(history);
  });

  test('prints a document of its schema, and nothing else', async () => {
    const { stdout } = await performCommand(['trend', folder, '--json', '--metric', 'rates.turnsPerSecond']);
    const trend = trendSchema.parse(JSON.parse(stdout));
    expect(trend).toMatchObject({ kind: 'chat-load/trend', results: nights });
    expect(trend.skipped.map(({ file }) => file)).toEqual(['cut.json', 'foreign.json']);
    expect(trend.groups[0]?.metrics.map(({ name }) => name)).toEqual(['rates.turnsPerSecond']);
    expect(trend.groups[0]?.events.map(({ file }) => file)).toEqual([nameOf(changed)]);
  });

  test('names a requested metric that is in no result, and the metrics not searched', async () => {
    const lone = await makeFolder();
    await writeFile(join(lone, 'one.json'), JSON.stringify(nightly(0)));
    const words = ['trend', lone, '--metric', 'effective.ok.p99', '--fail-on', 'change'];
    const { stdout } = await performCommand([...words, '--json']);
    const { groups, alarm } = trendSchema.parse(JSON.parse(stdout));
    expect(groups[0]?.metrics).toMatchObject([{ name: 'effective.ok.p99', points: [], segments: [] }]);
    expect(alarm).toMatchObject({ date: null, searched: 0 });
    const { stdout: text } = await performCommand(words);
    expect(text).toMatch(/\neffective\.ok\.p99 +no data/);
    expect(text.trimEnd().split('\n').at(-1)).toBe(
      'PASSED, 1 series not searched: change detection needs 10 batches of runs (found: 1)',
    );
  });

  test('prints Markdown', async () => {
    const { stdout } = await performCommand(['trend', folder, '--format', 'markdown']);
    expect(stdout).toMatch(/^\| `rates\.turnsPerSecond` \|/m);
  });

  test('writes no history without a request, nor if it cannot', async () => {
    const lone = await makeFolder();
    await writeFile(join(lone, 'one.json'), JSON.stringify(nightly(0)));
    expect((await performCommand(['trend', lone])).code).toBe(0);
    expect(await readdir(lone)).toEqual(['one.json']);
    const refused = await performCommand(['trend', lone, '--history', join(lone, 'one.json', 'below-a-file.json')]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('Name another file with --history');
  });

  test.each([
    [['--fail-on', 'regression'], 1, /^FAILED: a gated metric changed on \d{4}-\d\d-\d\d$/],
    [['--fail-on', 'change', '--recent', '6'], 0, /^PASSED$/],
    [['--fail-on', 'change', '--metric', 'turn.ok.p90'], 0, /^PASSED$/],
  ] as const)('exits by the requested failure, and reports it last: %j', async (words, code, line) => {
    const ended = await performCommand(['trend', folder, ...words]);
    expect(ended.code).toBe(code);
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toMatch(line);
  });

  test.each([
    [['nowhere'], 'The folder nowhere cannot be read', 'Name the folder'],
    [['--metric', 'turn.ok.p98'], "did you mean 'turn.ok.p9", 'lists the metrics that are compared'],
    [['--scenario', 'synthetik'], "did you mean 'synthetic'?", 'has results in'],
    [['--label', 'nightly'], "unknown label 'nightly'", 'has results in'],
    [['--alpha', '2'], '--alpha takes a probability', '0.001'],
    [['--window', '5'], '--window takes', 'at least 10'],
  ])('reports the error and the remedy: %j', async (words, message, hint) => {
    const inFolder = words[0]?.startsWith('--') === true ? ['trend', folder, ...words] : ['trend', ...words];
    const { code, stderr } = await performCommand(inFolder);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('names results with internal damage, and continues with the others', async () => {
    const lone = await makeFolder();
    const write = (name: string, result: unknown) =>
      writeFile(join(lone, name), `${JSON.stringify(result, null, 1)}\n`);
    await write('whole.json', nightly(0));
    const { turn } = base.latency;
    const torn = {
      ...nightly(1),
      latency: { ...base.latency, turn: { ...turn, ok: { ...turn.ok, hdr: 'HISTFAAAAA' } } },
    };
    await write('torn.json', torn);
    await write('hollow.json', { ...nightly(2), intervals: [{}] });
    const { code, stdout } = await performCommand(['trend', lone, '--json']);
    const { results, skipped: unsorted } = trendSchema.parse(JSON.parse(stdout));
    const skipped = unsorted.toSorted((a, b) => a.file.localeCompare(b.file));
    expect([code, results, skipped.map(({ file }) => file)]).toEqual([0, 1, ['hollow.json', 'torn.json']]);
    expect(skipped[0]?.problem).toContain('is not a whole result: intervals.0');
    expect(skipped[1]?.problem).toContain('contains a histogram that cannot be read');
  });

  test('warns only about the requested scenario, and fails one whose results are all damaged', async () => {
    const lone = await makeFolder();
    const write = (name: string, result: Result, scenario: string) =>
      writeFile(
        join(lone, name),
        JSON.stringify({ ...result, scenario: { ...result.scenario, name: scenario } }, null, 1),
      );
    const side = (night: number, label: string): Result => ({
      ...nightly(night),
      run: { ...nightly(night).run, label, sitting: 's', pair: '1' },
    });
    const interrupted = { ...nightly(3), run: { ...nightly(3).run, status: 'interrupted' as const } };
    const { turn } = base.latency;
    const latency = { ...base.latency, turn: { ...turn, ok: { ...turn.ok, hdr: 'HISTFAAAAA' } } };
    await write('alpha.json', nightly(0), 'alpha');
    await write('beta-base.json', side(1, 'base'), 'beta');
    await write('beta-head.json', side(2, 'head'), 'beta');
    await write('gamma.json', interrupted, 'gamma');
    await write('beta-torn.json', { ...nightly(4), latency }, 'beta');
    const told = async (...words: string[]) => {
      const { stdout } = await performCommand(['trend', lone, '--json', ...words]);
      const { warnings, skipped } = trendSchema.parse(JSON.parse(stdout));
      return [...warnings, ...skipped.map(({ file }) => file)];
    };
    expect(await told('--scenario', 'alpha')).toEqual([]);
    expect(await told('--scenario', 'beta')).toEqual([expect.stringContaining('both sides'), 'beta-torn.json']);
    expect(await told()).toHaveLength(3);
    await write('delta.json', { ...nightly(5), latency }, 'delta');
    const damaged = await performCommand(['trend', lone, '--scenario', 'delta', '--fail-on', 'change']);
    expect([damaged.code, damaged.stdout]).toEqual([2, '']);
    expect(damaged.stderr).toMatch(/No usable result[^]*delta\.json contains a histogram/);
    expect(damaged.stderr).not.toContain('beta');
  });

  test("lists the folder's contents if nothing can be used", async () => {
    const lone = await makeFolder();
    await writeFile(join(lone, 'torn.json'), '{"kind": "chat-load/res');
    await writeFile(
      join(lone, 'bad.json'),
      JSON.stringify({ ...base, validity: { verdict: 'invalid', reasons: [] } }, null, 1),
    );
    const { code, stderr } = await performCommand(['trend', lone]);
    expect(code).toBe(2);
    expect(stderr).toContain('No usable result in');
    expect(stderr).toContain('torn.json is cut off');
    expect(stderr).toContain('bad.json: the run is invalid');
  });
});
