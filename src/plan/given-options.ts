import { scenarioOptions } from '../scenario/scenario-options.ts';
import type { Plan } from './plan.ts';

/**
 * The flags that settle a scenario again as a plan was settled: what flags and the environment had said of it. The key is
 * not among them.
 */
export function flagsOfPlan({ options }: Pick<Plan, 'options'>): Record<string, unknown> {
  return Object.fromEntries(
    scenarioOptions.flatMap(({ name, flag, secret }) => {
      const option = options[name];
      const isGiven = option?.from === 'flag' || option?.from === 'environment';
      return flag === undefined || secret === true || !isGiven ? [] : [[flag, option.value]];
    }),
  );
}
