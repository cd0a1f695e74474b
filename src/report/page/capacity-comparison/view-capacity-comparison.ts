import type { CapacityComparison } from '../../../capacity/compare/capacity-comparison.ts';
import { loadUnitTexts } from '../../../capacity/words/load-text.ts';
import { sideNames } from '../../../compare/document/side.ts';
import { capacityComparisonFacts, searchTable, searchUnitText } from '../../capacity-comparison/comparison-facts.ts';
import { capacityComparisonLine } from '../../capacity-comparison/verdict-line.ts';
import { comparisonWarnings, opponents, verdictWords } from '../../comparison/comparison-words.ts';
import { clean } from '../../words/paragraph.ts';
import { refusalSection } from '../comparison/refusal-section.ts';
import { finite } from '../finite.ts';
import type { Page, RangeRow, RangesBlock, Section, Verdict } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** A comparison of capacities as a page: the ranges side by side, and every search. */
export function viewCapacityComparison(comparison: CapacityComparison): Page {
  const sections = [refusalSection(comparison), rangeSection(comparison)];
  return {
    kind: 'comparison',
    title: `Capacity: ${opponents(comparison)}`,
    facts: [...capacityComparisonFacts(comparison), { name: 'chat-load', text: clean(comparison.toolVersion) }],
    verdict: {
      state: stateOf(comparison),
      sentence: capacityComparisonLine(comparison),
      notes: [`${verdictWords[comparison.verdict]}: ${comparison.summary}`, ...comparisonWarnings(comparison)].map(
        clean,
      ),
    },
    sections: sections.filter(({ blocks }) => blocks.length > 0),
    timelines: [],
  };
}

function stateOf({ verdict, failOnInconclusive }: CapacityComparison): Verdict['state'] {
  switch (verdict) {
    case 'not_comparable':
      return 'invalid';
    case 'regressed':
      return 'failed';
    case 'inconclusive':
      return failOnInconclusive ? 'failed' : 'neutral';
    case 'improved':
    case 'unchanged':
      return 'passed';
  }
}

function rangeSection(comparison: CapacityComparison): Section {
  const { columns, rows } = searchTable(comparison);
  const heads = columns.map(({ head, align }) => (align === 'right' ? '>' : '') + head.toLowerCase());
  return {
    id: 'ranges',
    title: 'What each side holds',
    lead: 'A capacity is from the highest load that holds to the lowest that does not; ranges that lie apart show a change.',
    blocks: [
      ...rangeChart(comparison),
      ...tableBlock({
        title: `Searches: ${searchUnitText(comparison)}`,
        columns: heads,
        rows: rows.map((cells) => ({ cells, state: 'plain' })),
      }),
    ],
  };
}

/** A row a search; one without an end cannot be drawn on a scale. */
function rangeChart(comparison: CapacityComparison): RangesBlock[] {
  const { by } = comparison;
  const rows = sideNames.flatMap((side) =>
    comparison[side].searches.map(({ range, outcome }, index): RangeRow => {
      const [low, high] = [finite(range.holds), finite(range.broken)];
      const name = comparison[side].searches.length === 1 ? side : `${side} ${String(index + 1)}`;
      return {
        label: clean(`${name}, ${comparison[side].label}`),
        tone: side,
        value: low !== null && high !== null ? Math.sqrt(low * high) : (low ?? high),
        low,
        high,
        margin: null,
        note: outcome.replaceAll('_', ' '),
      };
    }),
  );
  if (rows.every(({ value }) => value === null)) return [];
  return [
    {
      type: 'ranges',
      id: 'ranges',
      title: `Capacity in ${loadUnitTexts[by]}`,
      description:
        'A line is from the highest load that holds to the lowest that does not; a dot is its middle, or the only end that is known.',
      unit: by === 'rate' ? 'perSecond' : 'count',
      scale: 'log',
      reference: null,
      rows,
    },
  ];
}
