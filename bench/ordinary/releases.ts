import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { DelayModel } from '../truth/delay-model.ts';

const path = (name: string): string => join(fileURLToPath(new URL('.', import.meta.url)), name);

/** URLs of two releases with known delays. */
export interface Releases {
  base: string;
  head: string;
}

/** Replies after 100 ms in the median, 20 % later in the head, each with a separate sequence of delays. */
const delays: Readonly<Record<keyof Releases, DelayModel>> = {
  base: { kind: 'lognormal', medianMs: 100, sigma: 0.2, seed: 1 },
  head: { kind: 'lognormal', medianMs: 120, sigma: 0.2, seed: 2 },
};

/** Starts both releases, each in its own process, and stops them after use. */
export async function withReleases<Value>(use: (releases: Releases) => Promise<Value>): Promise<Value> {
  const [base, head] = [start(delays.base), start(delays.head)];
  try {
    return await use({ base: await base.url, head: await head.url });
  } finally {
    base.stop();
    head.stop();
  }
}

function start(model: DelayModel): { url: Promise<string>; stop: () => void } {
  const child = spawn(
    process.execPath,
    ['--import', 'jiti/register', path('../truth/target.ts'), JSON.stringify(model)],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  const url = once(child, 'message').then((messages) => {
    const [{ port }] = messages as [{ port: number }];
    return `http://127.0.0.1:${String(port)}`;
  });
  return { url, stop: () => void child.kill() };
}

/** Writes the scenario of a short run, and returns its file. */
export async function writeScenario(folder: string, turns: number): Promise<string> {
  const file = join(folder, 'ordinary.ts');
  const sessions = Math.ceil(turns / turnsPerSession);
  const scenario = {
    name: 'ordinary',
    sessions,
    turns: turnsPerSession,
    load: { concurrency: 30 },
    target: { agentId: 'agent-ordinary' },
    messages: ['Hello.'],
    integrity: 'passive',
  };
  await writeFile(
    file,
    `import { defineScenario } from 'chat-load';\nexport default defineScenario(${JSON.stringify(scenario)});\n`,
  );
  return file;
}

const turnsPerSession = 10;

interface Ended {
  code: number | null;
  output: string;
}

/** Runs the built command and returns its exit code and standard output. */
export async function runCommand(words: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, [path('../../dist/cli/main.js'), ...words], {
    cwd,
    env: { ...process.env, CHAT_LOAD_API_KEY: 'ordinary-key' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const output = await text(child.stdout);
  const [code] = await ended;
  return { code, output };
}
