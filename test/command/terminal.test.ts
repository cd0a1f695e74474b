import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hurried } from '../support/hurried.ts';
import { makeFolder, readResult, root, writeScenario } from '../support/command.ts';

test('a run continues and completes when its standard output or standard error is no longer read', async () => {
  const folder = await makeFolder();
  const path = await writeScenario(
    folder,
    "{ name: 'pipe', messages: ['hi'], duration: '750ms', load: { concurrency: 2 }, embedded: { latency: '50ms' } }",
  );
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'run', path, '--out', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A line of progress is written after half a second.
    env: { ...process.env, ...hurried },
  });
  child.stdout.destroy();
  child.stderr.destroy();
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, (await readdir(folder)).filter((file) => file.endsWith('.json')).length]).toEqual([0, 1]);
  expect((await readResult(folder)).run.status).toBe('completed');
});
