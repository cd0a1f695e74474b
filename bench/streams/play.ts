import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../src/result/result.ts';
import { resultIn, runWords, startCommand } from '../fleet/start-command.ts';
import { watchUsage } from '../measure.ts';
import type { Usage } from '../process-tree.ts';

interface Play {
  folder: string;
  /** Source of the scenario's fields. */
  scenario: string;
  baseUrl: string;
  /** More arguments of the command. */
  words?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/** Runs a scenario with the built command on the generator's core. Returns the result and the usage of the process. */
export async function play({
  folder,
  scenario,
  baseUrl,
  words = [],
  env,
}: Play): Promise<{ result: Result; used: Usage }> {
  const out = mkdtempSync(join(folder, 'play-'));
  const file = join(out, 'scenario.ts');
  writeFileSync(file, `import { defineScenario } from 'chat-load';\nexport default defineScenario({ ${scenario} });\n`);
  const results = join(out, 'results');
  const run = startCommand([...runWords(file, { out: results, baseUrl }), ...words], {
    isPinned: true,
    ...(env === undefined ? {} : { env }),
  });
  const watch = watchUsage(run);
  try {
    await run.ended;
  } finally {
    watch.stop();
  }
  return { result: resultIn(results), used: watch.latest() };
}

/** Target of all these scenarios: streamed chat completions. */
export const streamed = `target: { agentId: 'bench', protocol: 'openai-chat', stream: true }`;

/** Formats the validity of a run and its reasons. */
export function wordsOf({ validity }: Result): string {
  return [validity.verdict, ...validity.reasons.map(({ code }) => code)].join(' ');
}
