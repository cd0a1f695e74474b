import type { Argv } from 'yargs';
import { environmentName, isRepeated } from '../plan/overlay.ts';
import { scenarioOptions, type ScenarioOption } from '../scenario/scenario-options.ts';

/** Adds the scenario's path and the flags of the option table to a command. */
export function takeScenario<T>(yargs: Argv<T>): Argv<T & { scenario: string }> {
  return takeOverrides(takeScenarioPath(yargs));
}

/** Adds the same to a command that can do without a file. */
export function takeOptionalScenario<T>(
  yargs: Argv<T>,
  isTaken?: (option: ScenarioOption) => boolean,
): Argv<T & { scenario?: string | undefined }> {
  return takeOverrides(
    yargs.positional('scenario', {
      type: 'string',
      describe: 'The scenario file (TypeScript or JavaScript); without one, --url names the service',
    }),
    isTaken,
  );
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
    if (isTaken(option))
      for (const { flag, meaning } of flagsOf(option))
        yargs.option(flag, {
          type: typeOf(option),
          // A list flag is repeated, one value each: otherwise it would consume the scenario's path.
          ...(isRepeated(option) ? { array: true, nargs: 1 } : { requiresArg: typeOf(option) !== 'boolean' }),
          group: 'Scenario overrides:',
          describe: `${meaning} [${environmentName(option) ?? ''}]`,
        });
  return yargs;
}

function flagsOf({ flag, flagMeaning, meaning, alias }: ScenarioOption): { flag: string; meaning: string }[] {
  if (flag === undefined) return [];
  return [{ flag, meaning: flagMeaning ?? meaning }, ...(alias === undefined ? [] : [alias])];
}

function typeOf({ takes }: ScenarioOption): 'number' | 'boolean' | 'string' {
  if (takes === 'switch' || takes === 'off-switch') return 'boolean';
  return takes === 'number' ? 'number' : 'string';
}
