import { scenarioOptions } from '../scenario/scenario-options.ts';
import { environmentName } from './overlay.ts';
import type { Plan } from './plan.ts';

/** What flags and the environment gave to a plan, as variables of the environment that give it again elsewhere. The key is not among them. */
export function givenAround({ options }: Pick<Plan, 'options'>): Record<string, string> {
  const rows = scenarioOptions.flatMap((option) => {
    const given = options[option.name];
    const name = environmentName(option);
    const isAround = given?.from === 'flag' || given?.from === 'environment';
    return isAround && name !== undefined && option.secret !== true ? [[name, textOf(given.value)] as const] : [];
  });
  return Object.fromEntries(rows);
}

/** As a variable holds it: `readText` of the overlay reads it back. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));
