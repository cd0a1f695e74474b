import type { Comparison } from '../../compare/document/comparison.ts';
import type { Style } from '../words/table.ts';
import { comparisonVerdictLine } from './comparison-verdict-line.ts';
import { renderComparison } from './render-comparison.ts';

/** The tables of a comparison and the line of its verdict. */
export function renderComparisonTerminal(comparison: Comparison, style: Style): string {
  return `${renderComparison(comparison, style)}\n\n${comparisonVerdictLine(comparison)}`;
}
