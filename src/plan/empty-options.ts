import type { ScenarioProblem } from '../scenario/compile-value.ts';
import { valueAt } from '../base/value-at.ts';
import { scenarioOptions } from '../scenario/scenario-options.ts';

/** Options that are there but empty, and were meant to be something. */
export function emptyOptions(scenario: Record<string, unknown>): ScenarioProblem[] {
  return scenarioOptions.flatMap(({ name, ifEmpty, ifUndefined }) => {
    const path = name.split('.');
    const value = valueAt(scenario, path);
    const holder = valueAt(scenario, path.slice(0, -1));
    const isEmpty = value === '' || (value === undefined && ifUndefined === 'empty' && isIn(holder, path.at(-1)));
    if (ifEmpty === undefined || !isEmpty) return [];
    const seen = `is given, but ${value === '' ? 'empty' : 'undefined'}`;
    const message = `${seen}: most likely from an environment variable that is not set. Set the variable, or ${ifEmpty}`;
    return [{ path: name, message }];
  });
}

/** Whether a key is present, whatever its value. */
export function isIn(holder: unknown, key = ''): boolean {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key);
}
