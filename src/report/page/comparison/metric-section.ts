import type { Comparison, MetricComparison } from '../../../compare/document/comparison.ts';
import { gateGroups, groupTexts, notes, rowOf, undecided, type GroupName } from '../../comparison/comparison-rows.ts';
import { detectableLegend, legendTexts } from '../../comparison/comparison-tables.ts';
import { whyText } from '../../comparison/comparison-words.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section, TableRow, Tone } from '../page.ts';
import { proseBlock } from '../prose-block.ts';
import { tableBlock } from '../table-block.ts';
import { changeRanges } from './change-ranges.ts';

/** The gate family: what can fail the comparison, the worst first. */
export function metricSection(comparison: Comparison): Section {
  const judged = gateGroups(comparison).flatMap(({ name, metrics }) => metrics.map((metric) => ({ name, metric })));
  const changes = judged.map(({ name, metric }) => ({ metric, tone: tones[name], note: groupTexts[name] }));
  const whyOf = reasonsOf(comparison);
  return {
    id: 'metrics',
    title: 'What changed',
    lead: 'The metrics that decide, each with its change from base to head.',
    blocks: [
      ...changeRanges({ id: 'gate', of: 'metrics that decide', changes }),
      ...tableBlock({ title: 'Metrics that decide', columns, rows: judged.map((each) => familyRow(each, whyOf)) }),
      ...proseBlock(judged.length === 0 ? [] : [...legendTexts(comparison), detectableLegend]),
    ],
  };
}

const tones: Readonly<Record<GroupName, Tone>> = {
  regressed: 'failed',
  improved: 'ok',
  unchanged: 'neutral',
  inconclusive: 'neutral',
  no_data: 'neutral',
  not_gated: 'neutral',
};

/** As the terminal paints them. */
const states: Readonly<Record<GroupName, TableRow['state']>> = {
  regressed: 'bad',
  improved: 'good',
  unchanged: 'good',
  inconclusive: 'doubtful',
  no_data: 'doubtful',
  not_gated: 'plain',
};

const columns = [
  'verdict',
  'metric',
  '>base',
  '>head',
  '>change',
  '>95 % interval',
  '>margin',
  '>p',
  '>finds from',
  'why, and what would decide it',
];

function familyRow(
  { name: group, metric }: { name: GroupName; metric: MetricComparison },
  whyOf: ReadonlyMap<string, string>,
): TableRow {
  const { name, base, head, change, range, margin, p, detectable } = rowOf(metric);
  const cells = [groupTexts[group], name, base, head, change, range, margin, p, detectable, whyOf.get(name) ?? ''];
  return { cells, state: states[group] };
}

/** What the terminal says of each metric, below the figures. */
const reasonsOf = (comparison: Comparison): ReadonlyMap<string, string> =>
  new Map([
    ...notes(comparison),
    ...undecided(comparison).map((metric): [string, string] => [
      clean(metric.name),
      whyText(metric, comparison.design),
    ]),
  ]);
