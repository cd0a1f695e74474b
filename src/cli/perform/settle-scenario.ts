import { dirname } from 'node:path';
import { tlsFilesReader } from '../../edge/disk/read-tls-files.ts';
import { isBuiltIn, openScenario, scenarioLabel } from '../../app/built-in/built-in-scenario.ts';
import { settle, type Settled } from '../../plan/settle.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { checkSettled } from '../../app/run/check-settled.ts';
import { printable } from '../../base/printable.ts';
import { insecureTexts } from '../../report/words/target-text.ts';
import { keepSecrets, stderr, secretNames } from '../console/terminal.ts';
import { environmentName } from '../../plan/overlay.ts';
import { optionSets } from '../parser/options.ts';
import type { Row } from '../parser/rows.ts';
import { nearestName } from '../../base/unknown-name.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';
import { redisVariable } from './read-fleet.ts';

/**
 * Loads and resolves the scenario of a command. Every command rejects what `run` rejects: gates that cannot be evaluated,
 * and hosts that are not allowed.
 */
export async function settleScenario(
  args: { scenario: string; [flag: string]: unknown },
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Settled> {
  misspeltVariables(environment).forEach((line) => writeOnce(line));
  const readTlsFiles = tlsFilesReader({ ofScenario: dirname(args.scenario), ofCommand: '.' });
  const around = { flags: args, environment, hasFile: !isBuiltIn(args.scenario), readTlsFiles };
  const label = scenarioLabel(args.scenario);
  const settled = settle(await openScenario(args.scenario), around, label);
  printNotes(settled);
  // The key of the embedded service is not secret.
  if (settled.embedded === undefined) keepSecrets(settled.secrets);
  checkSettled(settled, label);
  return settled;
}

/** Resolves the built-in scenario of a command by flags and environment. */
export function settleAlone(
  { author, name }: { author: Scenario; name: string },
  flags: Record<string, unknown>,
): Settled {
  const readTlsFiles = tlsFilesReader({ ofScenario: '.', ofCommand: '.' });
  const settled = settle(author, { flags, environment: process.env, hasFile: false, readTlsFiles }, name);
  printNotes(settled);
  return settled;
}

const written = new Set<string>();

/** Writes a line to standard error once per command, which may have several runs. */
function writeOnce(line: string, write = (text: string): void => stderr.note(text)): void {
  if (!written.has(line)) write(line);
  written.add(line);
}

function printNotes({ plan, notes }: Settled): void {
  for (const note of notes) writeOnce(`note: ${note}`);
  for (const line of insecureTexts(plan)) writeOnce(line, (text) => stderr.line(stderr.colors.red(printable(text))));
}

/** Environment variables that chat-load reads. */
const known: readonly string[] = [
  ...scenarioOptions.flatMap((option) => environmentName(option) ?? []),
  ...secretNames,
  ...Object.values(optionSets).flatMap((rows) =>
    Object.values<Row<unknown>>(rows).flatMap(({ environment }) => environment ?? []),
  ),
  'CHAT_LOAD_CACHE',
  redisVariable,
  'CHAT_LOAD_REDIS_USERNAME',
];

/** Returns a warning for every variable that resembles a known one. Other variables of an author are ignored. */
export function misspeltVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('CHAT_LOAD_') && !known.includes(name))
    .flatMap((name) => {
      const nearest = nearestName(name.slice(prefix.length), shortNames);
      return nearest === undefined ? [] : [`warning: ${name} is unknown: did you mean ${prefix}${nearest}?`];
    });
}

const prefix = 'CHAT_LOAD_';
const shortNames = known.map((name) => name.slice(prefix.length));
