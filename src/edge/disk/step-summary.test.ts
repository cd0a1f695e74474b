import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendStepSummary } from './write-result.ts';

test('a step summary grows by what every command adds', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'summary-')), 'summary.md');
  expect(await appendStepSummary(() => '# one', path)).toBeUndefined();
  expect(await appendStepSummary(() => '# two', path)).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('# one\n\n# two\n\n');
});

test('a summary that cannot be written is a warning, and without one nothing is rendered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'summary-'));
  expect(await appendStepSummary(() => '# one', folder)).toMatch(
    /^The step summary .+ cannot be written: it is a folder/,
  );
  const render = (): string => {
    throw new Error('it was rendered');
  };
  expect(await appendStepSummary(render, '')).toBeUndefined();
});

test('a summary that is a pipe is a warning, and holds no command', { timeout: 5000 }, async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'summary-')), 'summary.md');
  execFileSync('mkfifo', [path]);
  expect(await appendStepSummary(() => '# one', path)).toMatch(
    /^The step summary .+ cannot be written: it is not a file/,
  );
});
