import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../src/result/result.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'dist/cli/main.js');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Started {
  child: ChildProcess;
  ended: Promise<Ended>;
}

interface Surroundings {
  cwd?: string;
  env?: Record<string, string>;
  /** A program with its arguments that the command is started by. */
  by?: readonly string[];
}

/** Starts the built command as a script without a terminal would, and nothing of chat-load's in the environment. */
export function startCommand(words: readonly string[], { cwd = root, env = {}, by = [] }: Surroundings = {}): Started {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CHAT_LOAD_|npm_lifecycle_event|NO_COLOR|FORCE_COLOR|COLUMNS)/.test(name),
  );
  const [program = '', ...args] = [...by, process.execPath, main, ...words];
  const child = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  return { child, ended };
}

export function runCommand(words: readonly string[], around?: Surroundings): Promise<Ended> {
  return startCommand(words, around).ended;
}

const folders: string[] = [];

/** A separate folder for a test, with a space in its name. It is removed after the test file (`after-file.ts`). */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chat load '));
  folders.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
}

/**
 * Writes a scenario file; `body` is the text of the object. It is JavaScript, because compiling TypeScript takes a third
 * of a run.
 */
export async function writeScenario(folder: string, body: string, name = 'scenario.mjs'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `export default ${body};\n`);
  return path;
}

/** The only result in a folder. */
export async function readResult(folder: string): Promise<Result> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  if (names.length !== 1) throw new Error(`expected one result, found ${names.join(', ')}`);
  return JSON.parse(await readFile(join(folder, names[0] ?? ''), 'utf8')) as Result;
}
