import { resolve } from 'node:path';
import { z } from 'zod';
import { findTokenizer } from '../../edge/optional-packages.ts';
import { loadScenario } from '../../edge/disk/scenario/load-scenario.ts';
import { makePrompts } from '../../plan/script.ts';
import { protocols, protocolNames } from '../../protocol/registry/registry.ts';
import type { MessageOptions } from '../../scenario/scenario-values.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { makeText, weighWords } from '../../trace/make-message.ts';

/** Parameters of the scenario of a run without a file: with them and the flags, every process builds the same one. */
const builtInSchema = z.object({
  name: z.string(),
  protocol: z.enum(protocolNames),
  /** Whether requests carry no key. */
  isOpen: z.boolean(),
  /** Whether the number of sessions bounds the run, not a default duration. */
  isCounted: z.boolean(),
  /** Length of prompts; left out: the short messages below. */
  prompts: z.object({ min: z.int().min(1), max: z.int().min(1), counted: z.string() }).optional(),
  outputTokens: z.int().min(1).optional(),
});
export type BuiltIn = z.infer<typeof builtInSchema>;

const mark = 'built-in:';

/** Returns the name by which commands and shards know such a scenario, in the place of a path. */
export function builtInSource(builtIn: BuiltIn): string {
  return mark + JSON.stringify(builtIn);
}

/** Reports whether it is such a name. */
export function isBuiltIn(scenario: string): boolean {
  return scenario.startsWith(mark);
}

/** Returns the name of a scenario in messages: its path, or words for one without a file. */
export function scenarioLabel(scenario: string): string {
  return isBuiltIn(scenario) ? 'a run without a scenario file' : scenario;
}

/** Loads the scenario of a path below a folder, or builds the one that is none. A digest is one of a file's bytes. */
export async function openScenario(scenario: string, folder?: string, digest?: string): Promise<unknown> {
  if (!isBuiltIn(scenario)) return loadScenario(folder === undefined ? scenario : resolve(folder, scenario), digest);
  return scenarioOf(builtInSchema.parse(JSON.parse(scenario.slice(mark.length))), folder ?? '.');
}

async function scenarioOf(builtIn: BuiltIn, folder: string): Promise<Scenario> {
  const { name, protocol, isOpen, isCounted, prompts, outputTokens } = builtIn;
  const { outputLimit } = protocols[protocol].protocol;
  return {
    name,
    target: {
      protocol,
      ...(isOpen ? { auth: 'none' } : {}),
      ...(outputTokens === undefined || outputLimit === undefined
        ? {}
        : { messageBody: { [outputLimit]: outputTokens } }),
    },
    ...(isCounted ? {} : { duration: '1m' }),
    load: { concurrency: 4 },
    turns: 3,
    gates: { 'turns.failedShare': '< 1%', 'sessions.failedShare': '< 5%' },
    messages: prompts === undefined ? shortMessages : await messagesOf(prompts, folder),
  };
}

/** About 20 words each; the first differs from session to session, so that no cache answers for the model. */
const shortMessages = [
  'I ordered a desk lamp under number {{digits 6}} last week, and it has not arrived. What can I do now?',
  'Thank you. Please explain in a few sentences how I would send it back in case that it arrives broken, and who pays for that.',
  'And how long does it usually take until the money is back on my account?',
];

async function messagesOf(prompts: NonNullable<BuiltIn['prompts']>, folder: string): Promise<MessageOptions> {
  if (prompts.counted === 'words') return makePrompts(prompts, makeText);
  const tokenizer = await findTokenizer(folder);
  if (tokenizer === undefined) throw new Error(`${prompts.counted} is gone since the run was started`);
  // After a space, as all words of a text but its first are.
  const weights = weighWords((word) => tokenizer.count(` ${word}`));
  return makePrompts(prompts, (tokens, random) => makeText(tokens, random, weights));
}
