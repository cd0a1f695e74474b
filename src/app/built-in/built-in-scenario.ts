import { resolve } from 'node:path';
import { z } from 'zod';
import { findTokenizer } from '../../edge/optional-packages.ts';
import { loadScenario } from '../../edge/disk/scenario/load-scenario.ts';
import { makePrompts } from '../../plan/script.ts';
import { protocols, protocolNames } from '../../protocol/registry/registry.ts';
import type { MessageOptions } from '../../scenario/scenario-values.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { makeText, weighWords } from '../../trace/make-message.ts';

/** Parameters of the scenario of a run without a file; with them and the flags, every process builds the same scenario. */
const builtInSchema = z.object({
  name: z.string(),
  protocol: z.enum(protocolNames),
  /** True if requests are sent without a key. */
  isOpen: z.boolean(),
  /** True if the number of sessions limits the run instead of a default duration. */
  isCounted: z.boolean(),
  /** Length of prompts. Default: the short messages below. */
  prompts: z.object({ min: z.int().min(1), max: z.int().min(1), counted: z.string() }).optional(),
  outputTokens: z.int().min(1).optional(),
});
export type BuiltIn = z.infer<typeof builtInSchema>;

/** Turns of each session of a run without a file. */
export const builtInTurns = { kind: 'constant', turns: 3 } as const;

const mark = 'built-in:';

/** Returns the name of a built-in scenario, which commands and shards use instead of a path. */
export function builtInSource(builtIn: BuiltIn): string {
  return mark + JSON.stringify(builtIn);
}

export function isBuiltIn(scenario: string): boolean {
  return scenario.startsWith(mark);
}

/** Returns the name of a scenario in messages: its path, or a description if it is built in. */
export function scenarioLabel(scenario: string): string {
  return isBuiltIn(scenario) ? 'a run without a scenario file' : scenario;
}

/** Loads a scenario file below a folder, or builds the built-in scenario. `digest`: expected digest of the file. */
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
    turns: builtInTurns.turns,
    gates: { 'turns.failedShare': '< 1%', 'sessions.failedShare': '< 5%' },
    messages: prompts === undefined ? shortMessages : await messagesOf(prompts, folder),
  };
}

/** About 20 words each; the first differs between sessions, so that no cache replies instead of the model. */
const shortMessages = [
  'I ordered a desk lamp under number {{digits 6}} last week, and it has not arrived. What can I do now?',
  'Thank you. Please explain in a few sentences how I would send it back if it arrives broken, and who pays for that.',
  'And how long does it usually take until the money is back on my account?',
];

async function messagesOf(prompts: NonNullable<BuiltIn['prompts']>, folder: string): Promise<MessageOptions> {
  if (prompts.counted === 'words') return makePrompts(prompts, makeText);
  const tokenizer = await findTokenizer(folder);
  if (tokenizer === undefined) throw new Error(`${prompts.counted} was removed after the start of the run`);
  // Counted after a space, which precedes all words of a text but the first.
  const weights = weighWords((word) => tokenizer.count(` ${word}`));
  return makePrompts(prompts, (tokens, random) => makeText(tokens, random, weights));
}
