import { groupBy } from '../../base/group-by.ts';
import type { TrendRun } from './trend-run.ts';

/** Which runs represent their nights, and warnings about the choice. */
export interface Selection {
  runs: TrendRun[];
  warnings: string[];
}

/** Leaves out runs that are not fit, and with a label those of another. */
export function selectRuns(all: readonly TrendRun[], label: string | undefined): Selection {
  const asked = all.filter((run) => label === undefined || run.label === label);
  const runs = asked.filter(({ unfit }) => unfit === null);
  return { runs, warnings: [...unfitWarning(asked), ...mixedWarning(runs)] };
}

function unfitWarning(runs: readonly TrendRun[]): string[] {
  const unfit = runs.flatMap(({ file, unfit }) => (unfit === null ? [] : [`${file} (${unfit})`]));
  const [first] = unfit;
  if (first === undefined) return [];
  const others = unfit.length === 1 ? '' : ` and ${String(unfit.length - 1)} more`;
  return [`Left out: ${first}${others}.`];
}

/** The two sides of an interleaved pair are two releases: their mean would be neither. */
function mixedWarning(runs: readonly TrendRun[]): string[] {
  const paired = runs.filter(({ sitting, pair }) => sitting !== null && pair !== null);
  const pairs = groupBy(paired, ({ sitting, pair }) => JSON.stringify([sitting, pair]));
  const labels = [...pairs.values()]
    .map((pair) => [...new Set(pair.map(({ label }) => label ?? 'none'))])
    .find((some) => some.length > 1);
  if (labels === undefined) return [];
  return [`Nights contain both sides of interleaved pairs (labels ${labels.join(' and ')}): --label selects one side.`];
}
