import { printableTexts } from '../../base/printable.ts';
import type { CapacityComparison } from '../../capacity/compare/capacity-comparison.ts';
import { opponents, verdictWords } from '../comparison/comparison-words.ts';
import { refusalLines, warningLines } from '../comparison/refusal-lines.ts';
import { fittingTable } from '../words/fitting-table.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';
import { capacityComparisonFacts, searchTable, searchUnitText } from './comparison-facts.ts';
import { rangePicture } from './range-picture.ts';
import { capacityComparisonLine } from './verdict-line.ts';

/** Renders a comparison of capacities for a terminal: the verdict first, the ranges, then every search; the last line is its verdict. */
export function renderCapacityComparison(document: CapacityComparison, style: Style): string {
  const comparison = printableTexts(document);
  const sections = [
    headLines(comparison, style),
    refusalLines(comparison, style),
    comparison.verdict === 'not_comparable' ? '' : rangePicture(comparison, style),
    searchLines(comparison, style),
    warningLines(comparison, style),
    capacityComparisonLine(comparison),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function headLines(comparison: CapacityComparison, style: Style): string {
  const { colors, width } = style;
  const { verdict, summary } = comparison;
  const first = `${colors.bold(paints(colors)[verdict](verdictWords[verdict]))}  `;
  return [
    paragraph(`capacity: ${opponents(comparison)}`, { width, paint: colors.bold }),
    paragraph(summary, { width, first, paint: colors.bold }),
    ...capacityComparisonFacts(comparison).map(({ name, text }) => paragraph(text, { width, first: name.padEnd(10) })),
  ].join('\n');
}

const paints = (colors: Style['colors']) => ({
  regressed: colors.red,
  not_comparable: colors.red,
  inconclusive: colors.yellow,
  improved: colors.green,
  unchanged: colors.green,
});

function searchLines(comparison: CapacityComparison, style: Style): string {
  const { columns, rows } = searchTable(comparison);
  const { text } = fittingTable(columns, rows, style);
  return [text, paragraph(searchUnitText(comparison), { width: style.width, paint: style.colors.dim })].join('\n');
}
