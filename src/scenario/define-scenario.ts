import type { DataLists } from './scenario-values.ts';
import type { Scenario } from './scenario.ts';

/**
 * Declares a scenario: `export default defineScenario({ ... })`. Returns its argument; it exists so that an editor
 * completes and explains every field, and knows the rows of `data` in functions.
 */
export function defineScenario<const Lists extends DataLists>(scenario: Scenario<Lists>): Scenario<Lists> {
  return scenario;
}
