import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { releaseRun } from '../../../test/support/release-run.ts';
import type { Result } from '../../result/result.ts';
import { performNight, type CommandOutput, type NightPorts } from './perform-night.ts';

afterEach(() => vi.unstubAllEnvs());

/** Performs a night whose `ab` ends with a line and a code; every other command succeeds. */
async function nightWith(
  { line, code }: { line: string; code: number },
  folder: string = mkdtempSync(join(tmpdir(), 'night-')),
) {
  const summary = join(folder, 'summary.md');
  vi.stubEnv('GITHUB_STEP_SUMMARY', summary);
  const perform = async ([name]: readonly string[], output: CommandOutput): Promise<number> => {
    if (typeof output === 'number') writeSync(output, '# the trend\n');
    else output(line);
    return Promise.resolve(name === 'ab' ? code : 0);
  };
  const told: string[] = [];
  const print = (text: string): number => told.push(text);
  const ports: NightPorts = { perform, print, warn: print };
  const places = {
    results: join(folder, 'results', 'nightly'),
    baseline: join(folder, 'baseline'),
    reports: join(folder, 'r'),
  };
  const releases = { head: 'http://127.0.0.1:1', base: 'http://127.0.0.1:2', agentId: undefined };
  const exit = await performNight({ scenario: 'night.ts', runs: 1, ...releases, ...places }, ports);
  return { exit, told, summary: readFileSync(summary, 'utf8') };
}

describe('the summary of a step on GitHub', () => {
  test('ends with the trend and the verdict on the night', async () => {
    const { exit, told, summary } = await nightWith({ line: 'FAILED: turn.ok.p99 is slower', code: 1 });
    expect([exit, ...told.slice(-2)]).toEqual([
      1,
      expect.stringMatching(/^The reports are in .*r\.$/),
      'FAILED: turn.ok.p99 is slower',
    ]);
    expect(summary).toBe('# the trend\n\n### FAILED: turn.ok.p99 is slower\n\n');
  });

  test.each([
    ['were not there', false],
    ['were there', true],
  ])('a failed night leaves no empty folders, unless they existed before: they %s', async (_, isThere) => {
    const folder = mkdtempSync(join(tmpdir(), 'night-'));
    if (isThere) ['results', 'r'].forEach((name) => mkdirSync(join(folder, name)));
    const { exit } = await nightWith({ line: 'FAILED: no target', code: 3 }, folder);
    expect([exit, ...['results', 'r'].map((name) => existsSync(join(folder, name)))]).toEqual([3, isThere, isThere]);
  });

  test('has only the verdict if the night was stopped before its trend', async () => {
    const { exit, summary } = await nightWith({ line: 'FAILED: no target', code: 3 });
    expect([exit, summary]).toEqual([3, '\n### FAILED: no target\n\n']);
  });
});

type Validity = Result['validity'];
const valid: Validity = { verdict: 'valid', reasons: [] };
const late: Validity = {
  verdict: 'invalid',
  reasons: [{ code: 'late', severity: 'invalid', message: 'sessions were late', remedy: '', blame: 'generator' }],
};

interface Given {
  /** Folder of earlier nights. */
  folder?: string;
  /** The day of the month. */
  day?: number;
  /** Exit code of a comparison. */
  compared?: 0 | 4;
  scenario?: string;
}

/** Performs a night of one release that leaves a run for each validity. */
async function nightOf(runs: readonly Validity[], given: Given = {}) {
  const { folder = mkdtempSync(join(tmpdir(), 'night-')), day = 1, compared = 0, scenario = 'release' } = given;
  vi.stubEnv('GITHUB_STEP_SUMMARY', join(folder, 'summary.md'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, day, 2) });
  onTestFinished(() => void vi.useRealTimers());
  const places = { results: join(folder, 'results'), baseline: join(folder, 'baseline'), reports: join(folder, 'r') };
  const comparisons: string[] = [];
  const perform = async (words: readonly string[], output: CommandOutput): Promise<number> => {
    const label = words[words.indexOf('--label') + 1] ?? '';
    if (words[0] === 'run') leave(runs, { label, folder: places.results, scenario });
    if (words[0] === 'compare') comparisons.push(words.slice(1, words.indexOf('--results')).join(' '));
    const isRefused = words[0] === 'compare' && compared === 4;
    if (typeof output !== 'number') output(isRefused ? 'INVALID: not comparable' : 'PASSED');
    return Promise.resolve(isRefused ? 4 : 0);
  };
  const told: string[] = [];
  const print = (text: string): number => told.push(text);
  const night = { scenario: 'night.ts', runs: runs.length, head: 'embedded', base: undefined, agentId: undefined };
  const exit = await performNight({ ...night, ...places }, { perform, print, warn: print });
  return { exit, told, text: told.join('\n'), comparisons, folder, ...places };
}

interface Left {
  label: string;
  folder: string;
  scenario?: string;
}

/** Leaves runs in a folder, with seeds from 1, and returns their files. */
function leave(runs: readonly Validity[], { label, folder, scenario: name = 'release' }: Left): string[] {
  mkdirSync(folder, { recursive: true });
  return runs.map((validity, at) => {
    const id = `run-${String(at)}-${label}`;
    const result = releaseRun({
      id,
      intervals: 2,
      turnsPerInterval: 5,
      scenario: { name, messages: [name], seed: at + 1 },
    });
    const file = join(folder, `night-${String(at)}-${label}.json`);
    writeFileSync(file, JSON.stringify({ ...result, validity, run: { ...result.run, label } }));
    return file;
  });
}

const firstNight = 'nightly-2026-01-01T020000Z';
const secondNight = 'nightly-2026-01-02T020000Z';
const noBaseline = 'PASSED, but no baseline to compare with';

test.each([
  ['http://127.0.0.1:2', ['ab']],
  [undefined, ['run']],
])('a night with the base %s passes on the flags of distributed runs', async (base, players) => {
  const folder = mkdtempSync(join(tmpdir(), 'night-'));
  const asked: string[] = [];
  const perform = async (words: readonly string[], output: CommandOutput): Promise<number> => {
    if (words.includes('--cores=2')) asked.push(words[0] ?? '');
    if (typeof output !== 'number') output('PASSED');
    return Promise.resolve(0);
  };
  const places = { results: join(folder, 'results'), baseline: join(folder, 'baseline'), reports: join(folder, 'r') };
  const night = { scenario: 'night.ts', runs: 1, head: 'http://127.0.0.1:1', base, agentId: undefined };
  await performNight(
    { ...night, ...places, load: ['--cores=2'] },
    { perform, print: () => undefined, warn: () => undefined },
  );
  expect(asked).toEqual(players);
});

describe('a first night', () => {
  test('is recommended as the baseline if every run is valid', async () => {
    const { exit, told, text, results } = await nightOf([valid, valid]);
    expect([exit, told.at(-1)]).toEqual([0, noBaseline]);
    expect(text).toContain(`copy ${join(results, '*-nightly-')}`);
  });

  test('is not recommended if a comparison would refuse a run, which is named with a remedy', async () => {
    const { exit, told, text, results } = await nightOf([valid, late]);
    expect([exit, told.at(-1)]).toEqual([0, noBaseline]);
    expect(text).toContain(
      `Do not copy this night there: comparisons would refuse ${join(results, 'night-1-nightly-')}`,
    );
    expect(text).toContain('.json (invalid: sessions were late).\nFix these problems, run the job again');
    expect(text).not.toContain('*-nightly-');
  });

  test('ignores a baseline of another scenario, and reports it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'night-'));
    leave([valid, valid], { label: 'sample', folder: join(folder, 'baseline'), scenario: 'smoke' });
    const { exit, told, text, comparisons, baseline } = await nightOf([valid, valid], { folder, compared: 4 });
    expect([exit, told.at(-1), comparisons]).toEqual([0, noBaseline, []]);
    expect(text).toContain(`2 results in ${baseline} of other scenarios or targets are ignored: smoke #`);
    expect(text).toContain(`No baseline in ${baseline} yet.`);
  });
});

describe('a later night', () => {
  test('is compared with the first night as long as no baseline is stored', async () => {
    const { folder } = await nightOf([valid, valid]);
    const second = await nightOf([valid, valid], { folder, day: 2 });
    const third = await nightOf([valid, valid], { folder, day: 3 });
    expect(second.comparisons).toEqual([`--base label:${firstNight} --head label:${secondNight}`]);
    expect(third.comparisons).toEqual([`--base label:${firstNight} --head label:nightly-2026-01-03T020000Z`]);
    expect(third.text).toContain(`Tonight is compared with ${firstNight}, the first night like it in`);
    expect([third.exit, third.told.at(-1)]).toEqual([0, 'PASSED']);
  });

  test.each<[string, readonly Validity[], Given, RegExp]>([
    ['with a run that is invalid', [valid, late], {}, /night-1-.* is invalid: sessions were late\.$/],
    ['with other seeds', [valid, valid, valid], {}, /other seeds, or their number differs \(3; tonight 2\)\.$/],
    ['of another scenario', [valid, valid], { scenario: 'other' }, /another scenario or target \(other #/],
  ])('is not compared with a night %s, which is named with the reason', async (_, runs, given, why) => {
    const { folder } = await nightOf(runs, given);
    const { exit, told, comparisons } = await nightOf([valid, valid], { folder, day: 2 });
    expect([exit, told.at(-1), comparisons]).toEqual([0, noBaseline, []]);
    expect(told.filter((line) => line.startsWith(`${firstNight} is skipped: `))).toEqual([expect.stringMatching(why)]);
  });

  test('names the first few nights and files that cannot be used, and counts the others', async () => {
    const { folder, results } = await nightOf([valid], { scenario: 'other' });
    for (const day of [2, 3, 4]) await nightOf([valid], { folder, day, scenario: 'other' });
    writeFileSync(join(results, 'torn.json'), '{"kind":"chat-load/result",');
    const { told } = await nightOf([valid], { folder, day: 5 });
    expect(told.filter((line) => line.includes('is skipped'))).toHaveLength(3);
    expect(told).toContain('2 more nights or files cannot be used.');
    const alone = mkdtempSync(join(tmpdir(), 'night-'));
    mkdirSync(join(alone, 'results'));
    writeFileSync(join(alone, 'results', 'torn.json'), '{"kind":"chat-load/result",');
    const torn = await nightOf([valid], { folder: alone });
    expect(torn.told).toContainEqual(expect.stringMatching(/torn\.json is ignored: it \S+/));
  });

  test('names a night of another kind of machine', async () => {
    const { folder, results } = await nightOf([valid]);
    const [name = ''] = readdirSync(results);
    const earlier = JSON.parse(readFileSync(join(results, name), 'utf8')) as Result;
    const environment = earlier.environment && { ...earlier.environment, cores: 64, cpuModel: 'Another CPU' };
    writeFileSync(join(results, name), JSON.stringify({ ...earlier, environment }));
    const { text } = await nightOf([valid], { folder, day: 2 });
    expect(text).toContain(`${firstNight} is skipped: it was run on another kind of machine (`);
  });

  test('is compared with the stored baseline of the same scenario', async () => {
    const { folder } = await nightOf([valid, valid]);
    const kept = leave([valid, valid], { label: 'kept', folder: join(folder, 'baseline') });
    const alone = await nightOf([valid, valid], { folder, day: 2 });
    expect(alone.comparisons).toEqual([`--base ${alone.baseline} --head label:${secondNight}`]);
    leave([valid], { label: 'sample', folder: alone.baseline, scenario: 'smoke' });
    const mixed = await nightOf([valid, valid], { folder, day: 2 });
    expect(mixed.comparisons).toEqual([`--base ${kept.join(' ')} --head label:${secondNight}`]);
    expect(mixed.text).toContain('1 result in');
  });
});

test('a night that cannot be compared lists the remedies, for itself and for later nights', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'night-'));
  leave([late], { label: 'kept', folder: join(folder, 'baseline') });
  const { exit, told, text, baseline } = await nightOf([late], { folder, compared: 4 });
  expect([exit, told.at(-1)]).toEqual([4, 'INVALID: not comparable']);
  expect(text).toContain(`A run in ${baseline} that was refused is refused every night: replace the baseline`);
  expect(text).toMatch(
    /chat-load compare --base FILES --head FILES .* compare --base \S+ --head label:nightly-\S+ --results \S+ --force\./,
  );
});
