import type { CapacityComparison, ComparedCapacities } from '../../capacity/compare/capacity-comparison.ts';
import { rangeText } from '../../capacity/compare/say-change.ts';
import { loadUnitTexts } from '../../capacity/words/load-text.ts';
import { sideNames } from '../../compare/document/side.ts';
import { countOf, formatNumber } from '../words/format.ts';
import type { Cells } from '../words/fitting-table.ts';
import { clean } from '../words/paragraph.ts';

/** What was compared, under what. */
export function capacityComparisonFacts(comparison: CapacityComparison): { name: string; text: string }[] {
  const { scenario, base, head, by, objectives, reason } = comparison;
  const asked = objectives.map(({ metric, condition }) => `${metric} ${condition}`).join('; ');
  const sideText = ({ label, searches, range }: ComparedCapacities): string =>
    `${label}, ${countOf(searches.length, 'search', 'searches')}: ${rangeText(range, by)}`;
  return [
    { name: 'scenario', text: scenario.name },
    { name: 'asked', text: asked },
    { name: 'base', text: sideText(base) },
    { name: 'head', text: sideText(head) },
    ...(reason === null ? [] : [{ name: 'open', text: reason }]),
  ].map(({ name, text }) => ({ name, text: clean(text) }));
}

/** Every search of both sides, as a table. */
export function searchTable(comparison: CapacityComparison): Cells {
  const right = 'right' as const;
  return {
    columns: [
      { head: 'SIDE' },
      { head: 'holds', align: right },
      { head: 'broken', align: right },
      { head: 'outcome' },
      { head: 'turns/s', align: right, goes: 2 },
      { head: 'broke on', goes: 1 },
      { head: 'started', goes: 3 },
      { head: 'file', goes: 4 },
    ],
    rows: sideNames.flatMap((side) =>
      comparison[side].searches.map(({ range, outcome, objective, turnsPerSecond, startedAt, file }) => [
        side,
        range.holds === null ? '-' : formatNumber(range.holds),
        range.broken === null ? '-' : formatNumber(range.broken),
        outcome.replaceAll('_', ' '),
        turnsPerSecond === null ? '-' : formatNumber(turnsPerSecond),
        clean(objective ?? '-'),
        clean(startedAt),
        clean(file ?? '-'),
      ]),
    ),
  };
}

/** What the figures of that table are in. */
export function searchUnitText({ by }: CapacityComparison): string {
  return `holds and broken in ${loadUnitTexts[by]}, as far as two steps show them`;
}
