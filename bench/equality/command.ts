import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** One side of a recording. */
export interface Recording {
  /** Built checkout whose command is executed. */
  checkout: string;
  /** Folder with documents of every kind, the same for both sides. */
  documents: string;
  /** Folder for the recordings. */
  folder: string;
}

export interface Executed {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** No setting of the caller's shell reaches a recording. */
const bareEnv = { PATH: process.env['PATH'], HOME: process.env['HOME'], TZ: 'UTC', LANG: 'C.UTF-8' };

/** Time after which a command is ended: none of those recorded takes nearly as long. */
const limitMs = 120_000;

/** Executes the command of a checkout, in a folder. */
export async function execute(checkout: string, words: readonly string[], cwd: string): Promise<Executed> {
  return spawned(process.execPath, [join(checkout, 'dist/cli/main.js'), ...words], cwd);
}

/** Executes the command of a checkout in a terminal of some columns, which `script` of util-linux provides. */
export async function executeInTerminal(
  checkout: string,
  words: readonly string[],
  { cwd, columns }: { cwd: string; columns: number },
): Promise<Executed> {
  const command = [process.execPath, join(checkout, 'dist/cli/main.js'), ...words].map(quote).join(' ');
  return spawned('script', ['-qec', `stty cols ${String(columns)} rows 50; ${command}`, '/dev/null'], cwd);
}

async function spawned(program: string, words: readonly string[], cwd: string): Promise<Executed> {
  const child = spawn(program, words, {
    cwd,
    env: bareEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
