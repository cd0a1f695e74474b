import { countOf, formatCount } from '../../base/format.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Comparison, MetricComparison } from '../../compare/document/comparison.ts';
import { clean } from '../words/paragraph.ts';
import { gateGroups } from './comparison-rows.ts';

export const detectableLegend = 'Detectable: smallest change that four of five such comparisons detect.';

export function statisticsLegends(comparison: Comparison): string[] {
  return [...legendTexts(comparison), detectableLegend];
}

/** Explains the figures of the gate family, as far as they appear. */
export function legendTexts(comparison: Comparison): string[] {
  const shown = gateGroups(comparison).flatMap(({ metrics }) => metrics);
  const adjusted = adjustmentText(shown);
  return [
    ...(adjusted === '' ? [] : [`p is adjusted for ${adjusted}; intervals are not.`]),
    ...(shown.some(({ unit }) => unit === 'share') ? ['pp: percentage points.'] : []),
  ];
}

/** Describes the sizes of the families that p is adjusted for: `4 metrics`, or `4 metrics (rates.turnsPerSecond: 31)`. */
function adjustmentText(shown: readonly MetricComparison[]): string {
  const sizes = groupBy(
    shown.flatMap(({ name, adjustedFor }) => (adjustedFor === null ? [] : [{ name: clean(name), adjustedFor }])),
    ({ adjustedFor }) => String(adjustedFor),
  );
  const [first, ...others] = [...sizes.values()].toSorted((a, b) => b.length - a.length);
  if (first === undefined) return '';
  const texts = others.map(
    (group) => `${group.map(({ name }) => name).join(', ')}: ${formatCount(group[0].adjustedFor)}`,
  );
  return `${countOf(first[0].adjustedFor, 'metric')}${texts.length === 0 ? '' : ` (${texts.join('; ')})`}`;
}
