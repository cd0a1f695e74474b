import type { Capacity } from '../../../capacity/document/capacity.ts';
import type { ObjectiveSeen, Step } from '../../../capacity/document/step.ts';
import { figureText } from '../../../capacity/words/load-text.ts';
import { formatNumber, formatShare } from '../../words/format.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section, TableRow } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** What the steps at the two ends say of each objective. */
export function objectiveSection(capacity: Capacity): Section {
  const { holds, broken, steps } = capacity;
  const shown = new Set([...(holds?.steps ?? []), ...(broken?.steps ?? [])]);
  const rows = steps
    .filter(({ number }) => shown.has(number))
    .flatMap((step) => step.objectives.map((seen) => rowOf(step, seen, unitsOf(capacity))));
  return {
    id: 'objectives',
    title: 'The objectives at the ends',
    lead: 'A step holds when the upper bound of what was judged is under its limit, and breaks when a lower bound is over it.',
    blocks: tableBlock({
      title: 'Objectives',
      columns: ['>step', '>load', 'objective', 'verdict', '>was', '>judged', '>between', '>limit'],
      rows,
    }),
  };
}

const unitsOf = ({ objectives }: Capacity): ReadonlyMap<string, string> =>
  new Map(objectives.map(({ metric, unit }) => [metric, unit]));

function rowOf({ number, load }: Step, seen: ObjectiveSeen, units: ReadonlyMap<string, string>): TableRow {
  const { metric, condition, verdict, actual, share, low, high, limit } = seen;
  const isOfOne = limit <= 1;
  const judged = (value: number | null): string =>
    value === null ? '-' : isOfOne ? formatShare(value) : formatNumber(value);
  return {
    cells: [
      String(number),
      formatNumber(load),
      clean(`${metric} ${condition}`),
      verdict,
      figureText(actual, units.get(metric) ?? ''),
      judged(share),
      low === null && high === null ? '-' : `${judged(low)} to ${judged(high)}`,
      judged(limit),
    ],
    state: verdict === 'holds' ? 'good' : verdict === 'broken' ? 'bad' : 'doubtful',
  };
}
