import type { DataLists } from '../../scenario/scenario-values.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { Capacity } from './document/capacity.ts';
import type { CapacityOptions } from './run/library.ts';

/**
 * Searches for the highest load that meets the objectives, in steps of steady load, and resolves with the findings;
 * `outcome` reports their kind. Rejects as `runScenario` does.
 */
export async function searchCapacity<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: CapacityOptions = {},
): Promise<Capacity> {
  return (await import('./run/library.ts')).searchCapacity(scenario, options);
}

export type { CapacityComparison } from './compare/capacity-comparison.ts';
export type { Capacity } from './document/capacity.ts';
export type { Step as CapacityStep } from './document/step.ts';
export type { CapacityOptions } from './run/library.ts';
