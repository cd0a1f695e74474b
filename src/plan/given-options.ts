import { scenarioOptions, type ScenarioOption } from '../scenario/scenario-options.ts';
import { environmentName, isAround } from './overlay.ts';
import type { Plan } from './plan.ts';

/**
 * The flags that settle a scenario again as a plan was settled: what flags and the environment had said of it. The key is
 * not among them.
 */
export function flagsOfPlan(plan: Pick<Plan, 'options'>): Record<string, unknown> {
  return Object.fromEntries(
    givenOptions(plan).flatMap(({ option: { flag }, value }) => (flag === undefined ? [] : [[flag, value]])),
  );
}

/** The same as variables of the environment. */
export function variablesOfPlan(plan: Pick<Plan, 'options'>): Record<string, string> {
  return Object.fromEntries(
    givenOptions(plan).flatMap(({ option, value }) => {
      const name = environmentName(option);
      return name === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]];
    }),
  );
}

/**
 * Flags as variables, those alone that no plan holds, since they may say what is secret: for the processes of this
 * machine, never for another one.
 */
export function variablesOfFlags(flags: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    scenarioOptions.flatMap((option) => {
      const given = option.flag === undefined ? undefined : flags[option.flag];
      const name = environmentName(option);
      if (given === undefined || name === undefined || (option.content !== true && option.secret !== true)) return [];
      return [
        [
          name,
          [given]
            .flat()
            .map(String)
            .join(option.takes === 'lines' ? '\n' : ','),
        ],
      ];
    }),
  );
}

/** The options that flags or the environment gave, the key aside. */
function givenOptions({ options }: Pick<Plan, 'options'>): { option: ScenarioOption; value: unknown }[] {
  return scenarioOptions.flatMap((option) => {
    const given = options[option.name];
    // No plan echoes the others: one that does is forged.
    if (option.secret === true || option.content === true || given === undefined || !isAround(given.from)) return [];
    if (option.content === 'of_file' && typeof given.value !== 'string') return [];
    // Given as its flag takes it.
    return [{ option, value: option.takes === 'off-switch' ? given.value === false : given.value }];
  });
}
