import { mkdirSync, mkdtempSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { releaseRun } from '../../../test/support/release-run.ts';
import type { Result } from '../../result/result.ts';
import { performNight, type CommandOutput, type NightPorts } from './perform-night.ts';

afterEach(() => vi.unstubAllEnvs());

/** A night of which `ab` ends with that line and code; every other command ends well. */
async function nightWith({ line, code }: { line: string; code: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'night-'));
  const summary = join(folder, 'summary.md');
  vi.stubEnv('GITHUB_STEP_SUMMARY', summary);
  const perform = async ([name]: readonly string[], output: CommandOutput): Promise<number> => {
    if (typeof output === 'number') writeSync(output, '# the trend\n');
    else output(line);
    return Promise.resolve(name === 'ab' ? code : 0);
  };
  const told: string[] = [];
  const tell = (text: string): number => told.push(text);
  const ports: NightPorts = { perform, tell, warn: tell };
  const places = { results: join(folder, 'results'), baseline: join(folder, 'baseline'), reports: join(folder, 'r') };
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

  test('has the verdict alone where the night was stopped before its trend', async () => {
    const { exit, summary } = await nightWith({ line: 'FAILED: no target', code: 3 });
    expect([exit, summary]).toEqual([3, '\n### FAILED: no target\n\n']);
  });
});

type Validity = Result['validity'];
const valid: Validity = { verdict: 'valid', reasons: [] };
const late: Validity = {
  verdict: 'degraded',
  reasons: [{ code: 'late', severity: 'degraded', message: 'sessions were late', remedy: '', blame: 'generator' }],
};

/** A night of one release that leaves a run for each validity; with a baseline, the comparison with it is refused. */
async function nightOf(runs: readonly Validity[], { hasBaseline = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'night-'));
  vi.stubEnv('GITHUB_STEP_SUMMARY', join(folder, 'summary.md'));
  const places = { results: join(folder, 'results'), baseline: join(folder, 'baseline'), reports: join(folder, 'r') };
  if (hasBaseline) mkdirSync(places.baseline);
  const perform = async (words: readonly string[], output: CommandOutput): Promise<number> => {
    if (words[0] === 'run') leave(runs, { label: words[words.indexOf('--label') + 1] ?? '', folder: places.results });
    const isRefused = words[0] === 'compare';
    if (typeof output !== 'number') output(isRefused ? 'INVALID: not comparable' : 'PASSED');
    return Promise.resolve(isRefused ? 4 : 0);
  };
  const told: string[] = [];
  const tell = (text: string): number => told.push(text);
  const night = { scenario: 'night.ts', runs: runs.length, head: 'embedded', base: undefined, agentId: undefined };
  const exit = await performNight({ ...night, ...places }, { perform, tell, warn: tell });
  return { exit, told, ...places };
}

function leave(runs: readonly Validity[], { label, folder }: { label: string; folder: string }): void {
  for (const [at, validity] of runs.entries()) {
    const result = releaseRun({ id: `run-${String(at)}`, intervals: 2, turnsPerInterval: 5 });
    const text = JSON.stringify({ ...result, validity, run: { ...result.run, label } });
    writeFileSync(join(folder, `night-${String(at)}-${label}.json`), text);
  }
}

describe('a first night', () => {
  test('is to be kept as the baseline where every run is valid', async () => {
    const { exit, told, results } = await nightOf([valid, valid]);
    expect([exit, told.at(-1)]).toEqual([0, 'PASSED, but there is no baseline to compare with']);
    expect(told.join('\n')).toContain(`copy ${join(results, '*-nightly-')}`);
  });

  test('is not to be kept where a comparison would refuse a run, which is named, with what to do instead', async () => {
    const { exit, told, results } = await nightOf([valid, late]);
    const text = told.join('\n');
    expect([exit, told.at(-1)]).toEqual([0, 'PASSED, but there is no baseline to compare with']);
    expect(text).toContain(
      `Do not copy this night there: comparisons would refuse ${join(results, 'night-1-nightly-')}`,
    );
    expect(text).toContain('.json (degraded: sessions were late).\nChange what is named there, run the job again');
    expect(text).not.toContain('*-nightly-');
  });
});

test('a night that cannot be compared names the way out, for itself and for later ones', async () => {
  const { exit, told, baseline } = await nightOf([late], { hasBaseline: true });
  expect([exit, told.at(-1)]).toEqual([4, 'INVALID: not comparable']);
  const text = told.join('\n');
  expect(text).toContain(`One in ${baseline} is refused every night: replace the baseline`);
  expect(text).toMatch(
    /chat-load compare --base FILES --head FILES .* compare \S+ label:nightly-\S+ --in \S+ --force\./,
  );
});
