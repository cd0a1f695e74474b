import { groupBy } from '../../base/group-by.ts';
import type { Comparison, MetricComparison } from '../../compare/document/comparison.ts';
import { formatChange, formatExtent, formatMargin, formatP, formatRange, formatSides } from '../words/format-change.ts';
import { clean } from '../words/paragraph.ts';

interface ComparisonRow {
  name: string;
  base: string;
  head: string;
  change: string;
  range: string;
  margin: string;
  p: string;
  /** Direction of the change, `better` or `worse`; '' without a change. */
  direction: string;
  /** Smallest change that the comparison detects with 80 % power. */
  detectable: string;
}

export type GroupName = MetricComparison['verdict'] | 'by_throughput' | 'not_gated';

export const groupTexts: Readonly<Record<GroupName, string>> = {
  regressed: 'regressed',
  no_data: 'no data',
  inconclusive: 'inconclusive',
  improved: 'improved',
  unchanged: 'unchanged',
  by_throughput: 'moved with throughput',
  not_gated: 'not gated',
};

/** Metrics of the gate family with the same verdict. */
interface GateGroup {
  name: GroupName;
  metrics: MetricComparison[];
}

/** Order of the groups: the worst first, informational metrics last. */
const order: readonly GroupName[] = [
  'regressed',
  'by_throughput',
  'inconclusive',
  'improved',
  'unchanged',
  'no_data',
  'not_gated',
];

/** Groups the gate family by verdict, the largest change first; omits groups without metrics. */
export function gateGroups({ metrics }: Comparison): GateGroup[] {
  const family = metrics.filter(isOfFamily);
  return order.flatMap((name) => {
    const members = family.filter((metric) => groupOf(metric, family) === name);
    return members.length === 0 ? [] : [{ name, metrics: members.sort(byChange) }];
  });
}

/** Times that moved with the throughput under closed load are named in the headline, although the throughput decides. */
function groupOf(metric: MetricComparison, family: readonly MetricComparison[]): GroupName {
  const { isGated, verdict, unit } = metric;
  if (isGated) return verdict;
  const isExplained = family.some((each) => each.isGated && each.unit === 'perSecond' && each.verdict === verdict);
  const hasMoved = verdict === 'regressed' || verdict === 'improved';
  return unit === 'ms' && hasMoved && isExplained ? 'by_throughput' : 'not_gated';
}

const isOfFamily = ({ isGated, notGatedBecause }: MetricComparison): boolean => isGated || notGatedBecause !== null;

/** Sorts by change in units of the margin, because points and percentages are not comparable. */
const byChange = (a: MetricComparison, b: MetricComparison): number => marginsOf(b) - marginsOf(a);
const marginsOf = ({ change, margin }: MetricComparison): number => Math.abs(change ?? 0) / margin;

/** Returns metrics of the gate family that are undecided or have too little data. */
export function undecided(comparison: Comparison): MetricComparison[] {
  return gateGroups(comparison).flatMap(({ name, metrics }) =>
    name === 'no_data' || name === 'inconclusive' ? metrics : [],
  );
}

/** Returns notes on metrics of the gate family, with their names. */
export function notes(comparison: Comparison): [string, string][] {
  return gateGroups(comparison).flatMap(({ name, metrics }) => {
    if (name === 'no_data' || name === 'inconclusive') return [];
    return metrics.flatMap((metric): [string, string][] => {
      const words = metric.notGatedBecause ?? metric.reason;
      return words === null ? [] : [[clean(metric.name), clean(words)]];
    });
  });
}

/** Returns all informational metrics that moved beyond noise, the largest change first. */
export function moversOf({ metrics, movers: names }: Comparison): MetricComparison[] {
  return names.flatMap((name) => informational(metrics).filter((each) => each.name === name));
}

/** Groups notes of the same words: each with the names of its metrics. */
export function groupedNotes(noted: readonly [string, string][]): [names: string[], words: string][] {
  const groups = groupBy(noted, ([, words]) => words);
  return [...groups].map(([words, group]) => [group.map(([name]) => name), words]);
}

/** Returns the metrics that never fail a comparison. */
export function informational(metrics: readonly MetricComparison[]): MetricComparison[] {
  return metrics.filter((metric) => !isOfFamily(metric));
}

export function rowOf(metric: MetricComparison): ComparisonRow {
  const { unit, change } = metric;
  const [base, head] = formatSides(metric.base, metric.head, unit);
  return {
    name: clean(metric.name),
    base,
    head,
    change: formatChange(change, unit),
    range: formatRange(metric.ci95, unit),
    margin: formatMargin(metric.margin, unit),
    p: formatP(metric.pAdjusted),
    direction: change === null || change === 0 ? '' : (metric.worse === 'higher') === change > 0 ? 'worse' : 'better',
    detectable: formatExtent(metric.smallestDetectable, unit),
  };
}
