import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root, runCommand } from '../support/command.ts';

/** Returns the completions of the last word, as a shell requests them. */
async function completions(shell: string, ...words: string[]): Promise<string[]> {
  const asked = ['--get-yargs-completions', 'chat-load', ...words];
  const { code, stdout, stderr } = await runCommand(asked, { env: { SHELL: shell } });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trimEnd().split('\n');
}

test('commands complete, with descriptions if the shell shows them', async () => {
  const commands = await completions('/bin/bash', '');
  for (const name of ['init', 'run', 'compare', 'nightly', 'completion']) expect(commands).toContain(name);
  expect(await completions('/bin/zsh', '')).toContain('run:Run a scenario and write its result');
});

test('the flags of a command complete, and the values of a flag that has a list of them', async () => {
  expect(await completions('/bin/bash', 'run', '--')).toEqual(
    expect.arrayContaining(['--duration', '--concurrency', '--repeat', '--dry-run']),
  );
  expect(await completions('/bin/bash', 'init', '--example', '')).toEqual(expect.arrayContaining(['peak', 'nightly']));
});

test('bash completes with the printed script', async () => {
  const script = `. <(chat-load completion bash)
    COMP_WORDS=(chat-load run --warm --dur) COMP_CWORD=3
    _chat-load_yargs_completions
    echo "\${COMPREPLY[@]}"`;
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, SHELL: '/bin/bash' };
  expect((await promisify(execFile)('bash', ['-c', script], { env })).stdout).toBe('--duration\n');
});

test('zsh has a separate script', async () => {
  const { code, stdout } = await runCommand(['completion', 'zsh'], { env: { SHELL: '/bin/bash' } });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^#compdef chat-load\n/)]);
});
