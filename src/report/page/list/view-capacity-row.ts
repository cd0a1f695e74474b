import type { CapacityComparison } from '../../../capacity/compare/capacity-comparison.ts';
import { capacityVerdictLine } from '../../capacity/capacity-verdict-line.ts';
import { capacityComparisonLine } from '../../capacity-comparison/verdict-line.ts';
import type { ListedCapacity } from './listed-capacity.ts';
import type { ListRow } from './list.ts';
import { shortReason, splitVerdict } from './split-verdict.ts';
import type { Place } from './view-row.ts';

/** What a run has and a search has not. */
const ofNoRun = { run: '', commit: '', figures: { turnP95: '-', failed: '-', rate: '-' } };

/** The row of a capacity: its reason is the answer. */
export function viewCapacityRow(place: Place, capacity: ListedCapacity): ListRow {
  return {
    ...place,
    ...ofNoRun,
    document: 'capacity',
    at: capacity.startedAt,
    scenario: capacity.scenario.name,
    label: capacity.label ?? '',
    ...verdictOf(capacityVerdictLine(capacity)),
  };
}

/** The row of two capacities compared, placed by the newest search in it. */
export function viewCapacitiesRow(place: Place, comparison: CapacityComparison): ListRow {
  const { base, head, scenario } = comparison;
  const starts = [...base.searches, ...head.searches].map(({ startedAt }) => startedAt);
  return {
    ...place,
    ...ofNoRun,
    document: 'comparison',
    at: starts.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1) ?? '',
    scenario: scenario.name,
    label: `${head.label} against ${base.label}`,
    ...verdictOf(capacityComparisonLine(comparison)),
  };
}

function verdictOf(line: string): Pick<ListRow, 'verdict' | 'reason'> {
  const { verdict, reason } = splitVerdict(line);
  return { verdict, reason: shortReason(reason) };
}
