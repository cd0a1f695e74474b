import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../src/result/result.ts';
import { startPinned } from '../pinned.ts';
import type { DelayModel } from './delay-model.ts';
import type { Account } from './target.ts';

/** A run of the built command, and the target's records of it. */
export interface Observed {
  result: Result;
  account: Account;
}

const path = (name: string): string => join(fileURLToPath(new URL('.', import.meta.url)), name);

/** Runs a scenario (source of its object) with the built command and more flags against a target with this distribution. */
export async function observe(model: DelayModel, scenario: string, flags: readonly string[] = []): Promise<Observed> {
  const command = [process.execPath, '--import', 'jiti/register', path('target.ts'), JSON.stringify(model)] as const;
  const target = startPinned('target', command, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const folder = await mkdtemp(join(tmpdir(), 'chat-load-truth-'));
  try {
    const [{ port }] = (await once(target, 'message')) as [{ port: number }];
    const result = await runCommand(folder, { scenario, baseUrl: `http://127.0.0.1:${String(port)}` }, flags);
    target.send('account');
    const [account] = (await once(target, 'message')) as [Account];
    return { result, account };
  } finally {
    target.kill();
    await rm(folder, { recursive: true });
  }
}

/** Runs the command and returns its result, which it prints for every verdict. Throws if there is none. */
async function runCommand(
  folder: string,
  { scenario, baseUrl }: Record<string, string>,
  flags: readonly string[],
): Promise<Result> {
  const file = join(folder, 'truth.ts');
  await writeFile(
    file,
    `import { defineScenario } from 'chat-load';\nexport default defineScenario(${scenario ?? ''});\n`,
  );
  const words = [
    'run',
    file,
    '--base-url',
    baseUrl ?? '',
    '--agent-id',
    'agent-truth',
    '--json',
    '--quiet',
    '--out',
    join(folder, 'out'),
    ...flags,
  ];
  const child = startPinned('generator', [process.execPath, path('../../dist/cli/main.js'), ...words], {
    env: { ...process.env, CHAT_LOAD_API_KEY: 'truth-key' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('the command has no standard output');
  const printed = await text(child.stdout);
  if (printed === '') throw new Error('the command printed no result');
  return JSON.parse(printed) as Result;
}
