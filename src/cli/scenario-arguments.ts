import type { Argv } from 'yargs';
import { loadScenario } from '../edge/disk/load-scenario.ts';
import { checkApiKey } from '../edge/http/request-head.ts';
import { environmentName } from '../plan/overlay.ts';
import { settle, type Settled } from '../plan/settle.ts';
import { scenarioOptions, type ScenarioOption } from '../scenario/scenario-options.ts';
import { checkGates } from '../app/run/check-gates.ts';
import { checkHost } from '../app/run/check-host.ts';
import { keepSecret, stderr } from './terminal.ts';
import { misspeltVariables } from './variable-names.ts';

/** Adds the scenario's path and the flags of the option table to a command. */
export function takeScenario<T>(yargs: Argv<T>): Argv<T & { scenario: string }> {
  return takeOverrides(takeScenarioPath(yargs));
}

/** Adds the scenario's path to a command. */
export function takeScenarioPath<T>(yargs: Argv<T>): Argv<T & { scenario: string }> {
  return yargs.positional('scenario', {
    type: 'string',
    demandOption: true,
    describe: 'The scenario file (TypeScript or JavaScript)',
  });
}

/** Adds the flags of the option table alone, or those of some of its options. */
export function takeOverrides<T>(yargs: Argv<T>, isTaken: (option: ScenarioOption) => boolean = () => true): Argv<T> {
  for (const option of scenarioOptions)
    if (option.flag !== undefined && isTaken(option))
      yargs.option(option.flag, {
        type: typeOf(option),
        // A list is the flag given several times, a value each: else it would swallow the scenario's path.
        ...(option.takes === 'list' ? { array: true, nargs: 1 } : { requiresArg: option.takes !== 'switch' }),
        group: 'Scenario overrides:',
        describe: `${option.meaning} [${environmentName(option) ?? ''}]`,
      });
  return yargs;
}

function typeOf({ takes }: ScenarioOption): 'number' | 'boolean' | 'string' {
  if (takes === 'switch') return 'boolean';
  return takes === 'number' ? 'number' : 'string';
}

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
  if (settled.embedded === undefined) keepSecret(settled.apiKey);
  checkGates(settled, args.scenario);
  checkHost(settled);
  checkApiKey(settled.apiKey);
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
