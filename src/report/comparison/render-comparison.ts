import type { Comparison } from '../../compare/document/comparison.ts';
import { familyTable, moverTable, noteLines, undecidedTable } from './comparison-tables.ts';
import { whereSections } from './comparison-where.ts';
import { comparisonFacts, confirmationTexts, foundText, verdictPaints, verdictWords } from './comparison-words.ts';
import { refusalLines, warningLines } from './refusal-lines.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';

/** Renders a comparison as text for a terminal: the verdict first, then what it rests on, within the style's width. */
export function renderComparison(comparison: Comparison, style: Style): string {
  const sections = [
    verdictLines(comparison, style),
    factLines(comparison, style),
    refusalLines(comparison, style),
    familyTable(comparison, style),
    noteLines(comparison, style),
    undecidedTable(comparison, style),
    confirmationLines(comparison, style),
    ...whereSections(comparison, style),
    moverTable(comparison, style),
    warningLines(comparison, style),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function verdictLines(comparison: Comparison, { colors, width }: Style): string {
  const paint = colors[verdictPaints[comparison.verdict]];
  const first = `${colors.bold(paint(verdictWords[comparison.verdict]))}  `;
  return paragraph(foundText(comparison), { width, first, paint: colors.bold });
}

const factLines = (comparison: Comparison, { width }: Style): string =>
  comparisonFacts(comparison)
    .map(({ name, text }) => paragraph(text, { width, first: name.padEnd(10) }))
    .join('\n');

const confirmationLines = (comparison: Comparison, { width }: Style): string =>
  confirmationTexts(comparison)
    .map((text, index) => paragraph(text, { width, first: index === 0 ? 'CONFIRM   ' : ' '.repeat(10) }))
    .join('\n');
