import type { CapacityComparison } from '../compare/capacity-comparison.ts';
import { compareCapacities } from '../compare/compare-capacities.ts';
import type { Capacity } from '../document/capacity.ts';
import { sampleCapacity } from './sample-capacity.ts';

/** A comparison of the capacities of two releases; by default, the head has fewer slots and is slower. */
export function capacitiesCompared(base = [sampleCapacity()], head = [slower()]): CapacityComparison {
  const side = (label: string, capacities: readonly Capacity[]) => ({
    label,
    searches: capacities.map((capacity, at) => ({ file: `results/${label}-${String(at)}.json`, capacity })),
  });
  const judging = { force: false, failOnInconclusive: false, toolVersion: '0' };
  return compareCapacities({ base: side('v1.4', base), head: side('v1.5', head) }, judging);
}

const slower = (): Capacity => sampleCapacity({ places: 14 }, { label: 'v1.5', startedAt: '2026-11-03T08:00:00.000Z' });
