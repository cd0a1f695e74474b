import { mkdtempSync, readFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
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
    expect([exit, told.at(-1)]).toEqual([1, 'FAILED: turn.ok.p99 is slower']);
    expect(summary).toBe('# the trend\n\n### FAILED: turn.ok.p99 is slower\n\n');
  });

  test('has the verdict alone where the night was stopped before its trend', async () => {
    const { exit, summary } = await nightWith({ line: 'FAILED: no target', code: 3 });
    expect([exit, summary]).toEqual([3, '\n### FAILED: no target\n\n']);
  });
});
