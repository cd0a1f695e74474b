import { loadScenario } from '../edge/disk/scenario/load-scenario.ts';
import { settle, type Settled } from '../plan/settle.ts';
import { checkSettled } from '../app/run/check-settled.ts';
import { keepSecrets, stderr } from './terminal.ts';
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
  const settled = settle(await loadScenario(args.scenario), { flags: args, environment }, args.scenario);
  // The embedded service's own key opens nothing.
  if (settled.embedded === undefined) keepSecrets(settled.secrets);
  checkSettled(settled, args.scenario);
  return settled;
}

const warned = new Set<string>();

/** Once, however many runs a command makes. */
function warnOfVariables(environment: NodeJS.ProcessEnv): void {
  for (const warning of misspeltVariables(environment)) {
    if (!warned.has(warning)) stderr.line(warning);
    warned.add(warning);
  }
}
