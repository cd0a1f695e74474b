import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../src/result/result.ts';
import { startPinned } from '../pinned.ts';

/** The built command under way. */
export interface StartedCommand {
  pid: number;
  /** Resolves with the text on standard error once it matches, or rejects when the command ends before. */
  said(pattern: RegExp): Promise<string>;
  /** Resolves with its exit code; rejects for one of a run that says nothing, with what it said. */
  ended: Promise<number | null>;
  kill(signal?: NodeJS.Signals): void;
}

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface HowToStart {
  /** On the core of the generator. */
  isPinned?: boolean;
  env?: NodeJS.ProcessEnv;
}

/** Starts the built command, on any core or on that of the generator. */
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
          throw new Error(`it did not say ${String(pattern)}: ${text}`);
      }
      return text;
    },
    ended,
    kill: (signal) => void child.kill(signal),
  };
}

/** Verdicts do not matter here: usage, environment and bugs do. */
const failures = [2, 3, 70];

async function endOf(child: ChildProcess, said: () => string): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== null && failures.includes(code)) throw new Error(`a command ended with ${String(code)}: ${said()}`);
  return code;
}

/** Words of `run` for a result in this folder, from a target on this machine. */
export function runWords(scenario: string, { out, baseUrl }: { out: string; baseUrl: string }): string[] {
  return ['run', scenario, '--base-url', baseUrl, '--out', out, '--quiet'];
}

/** The result in a folder that has one. */
export function resultIn(folder: string): Result {
  const name = readdirSync(folder).find((each) => each.endsWith('.json')) ?? '';
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result;
}
