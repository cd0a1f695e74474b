import type { CapacityComparison } from '../../capacity/compare/capacity-comparison.ts';
import { comparisonWarnings, opponents, refusalText, verdictWords } from '../comparison/comparison-words.ts';
import { escapeMarkdown, markdownList, markdownTable } from '../words/markdown-text.ts';
import { capacityComparisonFacts, searchTable, searchUnitText } from './comparison-facts.ts';

/** Renders a comparison of capacities as Markdown for a pull request. */
export function renderCapacityComparisonMarkdown(comparison: CapacityComparison): string {
  const { verdict, summary, comparability } = comparison;
  const { columns, rows } = searchTable(comparison);
  const heads = columns.map(({ head, align = 'left' }) => ({ head: head.toLowerCase(), align }));
  const refusals = comparability.refusals.map((refusal) => escapeMarkdown(refusalText(refusal)));
  const sections = [
    `### ${verdictWords[verdict]}: capacity of ${escapeMarkdown(opponents(comparison))}`,
    escapeMarkdown(summary),
    ...(refusals.length === 0
      ? []
      : [
          comparability.forced ? 'Compared anyway (`--force`), although:' : 'Refused, because:',
          markdownList(refusals),
        ]),
    markdownList(capacityComparisonFacts(comparison).map(({ name, text }) => `**${name}** ${escapeMarkdown(text)}`)),
    markdownTable(
      heads,
      rows.map((row) => row.map(escapeMarkdown)),
    ),
    escapeMarkdown(searchUnitText(comparison)),
    markdownList(comparisonWarnings(comparison).map(escapeMarkdown)),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}
