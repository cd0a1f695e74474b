import type { MetricComparison } from '../../../compare/document/comparison.ts';
import { clean } from '../../words/paragraph.ts';
import { finite } from '../drawn-numbers.ts';
import type { RangeRow, RangesBlock } from '../page.ts';

/** A metric to be drawn, with its colour and a word on it. */
interface DrawnChange {
  metric: MetricComparison;
  tone: RangeRow['tone'];
  note: string;
}

interface ChangeRanges {
  /** Begins the ids of the charts. */
  id: string;
  /** Of what the changes are: `the gate family`. */
  of: string;
  changes: readonly DrawnChange[];
}

/** Forest plots: relative changes, and changes of shares in points, since these have scales of their own. */
export function changeRanges({ id, of, changes }: ChangeRanges): RangesBlock[] {
  const [shares, others] = [true, false].map((isShare) =>
    changes.filter(({ metric }) => (metric.unit === 'share') === isShare),
  );
  return [
    ...forestOf(others ?? [], { id: `${id}-changes`, title: `Changes: ${of}`, unit: 'change' }),
    ...forestOf(shares ?? [], { id: `${id}-points`, title: `Changes of shares: ${of}`, unit: 'points' }),
  ];
}

/** None where no change is known. */
function forestOf(
  changes: readonly DrawnChange[],
  chart: Pick<RangesBlock, 'id' | 'title'> & { unit: 'change' | 'points' },
): RangesBlock[] {
  const rows = changes.map(rangeOf);
  if (rows.every(({ value }) => value === null)) return [];
  return [{ type: 'ranges', ...chart, description: descriptions[chart.unit], scale: 'linear', reference: 0, rows }];
}

const reading =
  'a line is its 95 % interval, the band the margin below which a change does not matter. Higher is worse, unless the row says otherwise.';
const descriptions = {
  change: `Head against base: a dot is the change, ${reading}`,
  points: `Head minus base, in percentage points: a dot is the change, ${reading}`,
};

const rangeOf = ({ metric, tone, note }: DrawnChange): RangeRow => ({
  label: clean(metric.name),
  tone,
  value: finite(metric.change),
  low: finite(metric.ci95?.low),
  high: finite(metric.ci95?.high),
  margin: metric.margin > 0 ? finite(metric.margin) : null,
  note: [note, metric.worse === 'lower' ? 'lower is worse' : ''].filter((text) => text !== '').join('; '),
});
