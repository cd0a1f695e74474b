import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../../src/result/result.ts';
import { makeFolder } from './command.ts';
import { finishedRun, resultOf, runFacts } from './synthetic-result.ts';

/** Options of a run. */
interface Wanted {
  label?: string | null;
  startedAt?: string;
  commit?: string;
  scenario?: string;
}

/** A result as a run would write it, of one that passed. */
export function listable({ label = null, startedAt = runFacts.startedAt, commit, scenario = 'peak' }: Wanted): Result {
  const { environment, integrity, run, ...whole } = made();
  const git = commit === undefined ? null : { commit, branch: 'main', dirty: false };
  return {
    ...whole,
    run: { ...run, id: `run at ${startedAt}`, label, startedAt },
    scenario: { ...whole.scenario, name: scenario },
    environment: environment && { ...environment, git },
    integrity: { ...integrity, verdict: 'pass' },
  };
}

let once: Result | undefined;

/** Made once: it takes a while. */
const made = (): Result => (once ??= resultOf(finishedRun({ name: 'peak', sessions: 120 })));

export function resultText(result: object): string {
  return `${JSON.stringify(result, null, 1)}\n`;
}

/** A folder with files of these names and texts; documents are written as runs write them. */
export async function folderWith(files: Readonly<Record<string, string | object>>): Promise<string> {
  const folder = await makeFolder();
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), typeof content === 'string' ? content : resultText(content));
  return folder;
}
