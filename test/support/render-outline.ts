import picocolors from 'picocolors';
import type { Comparison } from '../../src/compare/document/comparison.ts';
import { comparisonOutline } from '../../src/report/comparison/comparison-outline.ts';
import { writeMarkdown, writeText } from '../../src/report/outline/write-text.ts';
import { writeTerminal } from '../../src/report/outline/write-terminal.ts';
import { resultOutline } from '../../src/report/run/result-outline.ts';
import type { Ending, Report } from '../../src/report/outline/report.ts';
import type { Style } from '../../src/report/words/table.ts';
import type { Result } from '../../src/result/result.ts';

interface Asked extends Ending {
  format?: Parameters<typeof writeText>[2]['format'];
  width?: number;
  colors?: Style['colors'];
}

/** Writes a document in a format, by default for a terminal of 80 columns without colours. */
export function written<Document>(
  report: Report<Document>,
  document: Document,
  { format = 'terminal', width = 80, colors = picocolors.createColors(false), ...ending }: Asked = {},
): string {
  return writeText(report, document, { format, style: { width, colors }, ending }) ?? '';
}

/** Writes a result as a terminal shows it, without the last lines. */
export function renderResult(result: Result, style: Style, ending: Ending = {}): string {
  return writeTerminal(resultOutline(result, ending, 'terminal').slice(0, -1), style);
}

/** Writes a result as Markdown. */
export function renderResultMarkdown(result: Result, ending: Ending = {}): string {
  return writeMarkdown(resultOutline(result, ending, 'markdown'));
}

/** Writes a comparison as a terminal shows it, without the last line. */
export function renderComparison(comparison: Comparison, style: Style): string {
  return writeTerminal(comparisonOutline(comparison, {}, 'terminal').slice(0, -1), style);
}

/** Writes a comparison as Markdown. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  return writeMarkdown(comparisonOutline(comparison, {}, 'markdown'));
}
