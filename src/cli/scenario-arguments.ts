import { dirname } from 'node:path';
import { tlsFilesReader } from '../edge/disk/read-tls-files.ts';
import { isBuiltIn, openScenario, scenarioLabel } from '../app/built-in/built-in-scenario.ts';
import { settle, type Settled } from '../plan/settle.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { checkSettled } from '../app/run/check-settled.ts';
import { keepSecrets, stderr } from './terminal.ts';
import { warnOfInsecurity } from './warn-of-insecurity.ts';
import { misspeltVariables } from './variable-names.ts';

/**
 * Loads and settles the scenario that a command was given. Every command refuses what `run` refuses: gates that cannot be
 * judged, and a host that nobody has allowed.
 */
export async function settleScenario(
  args: { scenario: string; [flag: string]: unknown },
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Settled> {
  warnOfVariables(environment);
  const readTlsFiles = tlsFilesReader({ ofScenario: dirname(args.scenario), ofCommand: '.' });
  const around = { flags: args, environment, hasFile: !isBuiltIn(args.scenario), readTlsFiles };
  const label = scenarioLabel(args.scenario);
  const settled = settle(await openScenario(args.scenario), around, label);
  settled.notes.forEach(noteOnce);
  warnOfInsecurity(settled);
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
  settled.notes.forEach(noteOnce);
  warnOfInsecurity(settled);
  return settled;
}

const written = new Set<string>();

/** Writes a line to standard error, once, however many runs a command makes. */
function writeOnce(line: string): void {
  if (!written.has(line)) stderr.note(line);
  written.add(line);
}

const noteOnce = (note: string): void => writeOnce(`note: ${note}`);

const warnOfVariables = (environment: NodeJS.ProcessEnv): void => misspeltVariables(environment).forEach(writeOnce);
