import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../src/result/result.ts';
import { startPinned } from '../pinned.ts';

/** A running process of the built command. */
export interface StartedCommand {
  pid: number;
  /** Resolves with the text on standard error when it matches; rejects if the command ends first. */
  said(pattern: RegExp): Promise<string>;
  /** Resolves with the exit code; rejects with the output for a usage error, an environment error or a bug. */
  ended: Promise<number | null>;
  kill(signal?: NodeJS.Signals): void;
}

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface HowToStart {
  /** True to pin the command to the generator's core. */
  isPinned?: boolean;
  env?: NodeJS.ProcessEnv;
}

/** Starts the built command, optionally pinned to the generator's core. */
export function startCommand(words: readonly string[], { isPinned = false, env }: HowToStart = {}): StartedCommand {
  const command: readonly [string, ...string[]] = [process.execPath, main, ...words];
  const [file, ...args] = command;
  const options: SpawnOptions = {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, CHAT_LOAD_API_KEY: 'bench-key', ...env },
  };
  const child = isPinned ? startPinned('generator', command, options) : spawn(file, args, options);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    child.emit('text');
  });
  const ended = endOf(child, () => text);
  return {
    pid: child.pid ?? 0,
    said: async (pattern) => {
      while (!pattern.test(text)) {
        await Promise.race([once(child, 'text'), ended]);
        if (child.exitCode !== null && !pattern.test(text))
          throw new Error(`it did not print ${String(pattern)}: ${text}`);
      }
      return text;
    },
    ended,
    kill: (signal) => void child.kill(signal),
  };
}

/** Exit codes of usage errors, environment errors and bugs; verdicts are not failures here. */
const failures = [2, 3, 70];

async function endOf(child: ChildProcess, said: () => string): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== null && failures.includes(code)) throw new Error(`a command ended with ${String(code)}: ${said()}`);
  return code;
}

/** Returns the arguments of `run` for a result in a folder, against a local target. */
export function runWords(scenario: string, { out, baseUrl }: { out: string; baseUrl: string }): string[] {
  return ['run', scenario, '--base-url', baseUrl, '--out', out, '--quiet'];
}

/** Reads the only result in a folder. */
export function resultIn(folder: string): Result {
  const name = readdirSync(folder).find((each) => each.endsWith('.json')) ?? '';
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result;
}
