import type { z } from 'zod';
import { capacityComparisonSchema, type CapacityComparison } from '../compare/capacity-comparison.ts';
import { capacitySchema } from '../document/capacity.ts';
import type { ListRow } from '../../../report/page/list/list.ts';
import type { RowBuilder, RowLocation } from '../../../report/page/list/listed-kinds.ts';
import { ofNoRun, readLine } from '../../../report/page/list/view-row.ts';
import { capacityComparisonLine } from './capacity-comparison-outline.ts';
import { capacityVerdictLine } from './outcome-text.ts';

/** The parts of a capacity search that a list shows. */
export const listedCapacitySchema = capacitySchema
  .pick({ kind: true, schemaVersion: true, label: true, startedAt: true, outcome: true, summary: true })
  .extend({ scenario: capacitySchema.shape.scenario.pick({ name: true }) });

type ListedCapacity = z.infer<typeof listedCapacitySchema>;

/** Builds the row of a capacity search; its reason is the answer. */
export function viewCapacityRow(place: RowLocation, capacity: ListedCapacity): ListRow {
  return {
    ...place,
    ...ofNoRun,
    document: 'capacity',
    at: capacity.startedAt,
    scenario: capacity.scenario.name,
    label: capacity.label ?? '',
    ...readLine(capacityVerdictLine(capacity)),
  };
}

/** Builds the row of a comparison of capacities, dated by its newest search. */
export function viewCapacitiesRow(place: RowLocation, comparison: CapacityComparison): ListRow {
  const { base, head, scenario } = comparison;
  const starts = [...base.searches, ...head.searches].map(({ startedAt }) => startedAt);
  return {
    ...place,
    ...ofNoRun,
    document: 'comparison',
    at: starts.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1) ?? '',
    scenario: scenario.name,
    label: `${head.label} against ${base.label}`,
    ...readLine(capacityComparisonLine(comparison)),
  };
}

/** Rows of capacity searches in a list. */
export const searchRows: RowBuilder<ListedCapacity> = { schema: listedCapacitySchema, view: viewCapacityRow };

/** Rows of comparisons of capacities in a list. */
export const comparisonRows: RowBuilder<CapacityComparison> = {
  schema: capacityComparisonSchema,
  view: viewCapacitiesRow,
};
