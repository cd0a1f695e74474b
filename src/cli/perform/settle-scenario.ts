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
 * Loads and settles the scenario that a command was given. Every command refuses what `run` refuses: gates that cannot be
 * judged, and a host that nobody has allowed.
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
  tell(settled);
  // The embedded service's own key opens nothing.
  if (settled.embedded === undefined) keepSecrets(settled.secrets);
  checkSettled(settled, label);
  return settled;
}

/** Settles what a command does without a scenario, by flags and environment alone. */
export function settleAlone(
  { author, name }: { author: Scenario; name: string },
  flags: Record<string, unknown>,
): Settled {
  const readTlsFiles = tlsFilesReader({ ofScenario: '.', ofCommand: '.' });
  const settled = settle(author, { flags, environment: process.env, hasFile: false, readTlsFiles }, name);
  tell(settled);
  return settled;
}

const written = new Set<string>();

/** Writes a line to standard error, once, however many runs a command makes. */
function writeOnce(line: string, write = (text: string): void => stderr.note(text)): void {
  if (!written.has(line)) write(line);
  written.add(line);
}

function tell({ plan, notes }: Settled): void {
  for (const note of notes) writeOnce(`note: ${note}`);
  for (const line of insecureTexts(plan)) writeOnce(line, (text) => stderr.line(stderr.colors.red(printable(text))));
}

/** Every variable of the environment that chat-load reads. */
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

/** A warning for every variable that is probably meant to be one of those. An author's own variables, unlike any of those, are ignored. */
export function misspeltVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('CHAT_LOAD_') && !known.includes(name))
    .flatMap((name) => {
      const nearest = nearestName(name.slice(prefix.length), shortNames);
      return nearest === undefined ? [] : [`warning: ${name} is not read: did you mean ${prefix}${nearest}?`];
    });
}

const prefix = 'CHAT_LOAD_';
const shortNames = known.map((name) => name.slice(prefix.length));
