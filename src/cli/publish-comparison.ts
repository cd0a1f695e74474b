import { printableJson } from '../base/printable.ts';
import type { Comparison } from '../compare/document/comparison.ts';
import { appendStepSummary } from '../edge/disk/step-summary.ts';
import { writeWhole } from '../edge/disk/write-result.ts';
import { renderComparisonJunit } from '../report/comparison/comparison-junit.ts';
import { renderComparisonMarkdown } from '../report/comparison/comparison-markdown.ts';
import { comparisonVerdictLine } from '../report/comparison/comparison-verdict-line.ts';
import { renderComparison } from '../report/comparison/render-comparison.ts';
import type { ComparisonOptions } from './comparison-options.ts';
import { stderr, stdout } from './terminal.ts';

interface ComparisonOutput extends Pick<ComparisonOptions, 'format' | 'junit' | 'markdown' | 'failOnInconclusive'> {
  /** Runs of the head in which replies broke the integrity of conversations. */
  mixedUp?: number;
}

/** Prints a comparison and writes the files that were asked for. */
export async function publishComparison(comparison: Comparison, options: ComparisonOutput): Promise<void> {
  const { failOnInconclusive } = options;
  const texts = {
    terminal: () => renderComparison(comparison, stdout),
    markdown: () => renderComparisonMarkdown(comparison),
    json: () => printableJson(comparison, 2),
    junit: () => renderComparisonJunit(comparison, { failOnInconclusive }),
  };
  if (options.markdown !== undefined) await writeWhole(options.markdown, `${texts.markdown()}\n`);
  if (options.junit !== undefined) await writeWhole(options.junit, texts.junit());
  const warning = await appendStepSummary(texts.markdown);
  if (warning !== undefined) stderr.line(`warning ${warning}`);
  stdout.line(texts[options.format]());
  if (options.format === 'terminal') stdout.line(`\n${comparisonVerdictLine(comparison, options)}`);
}

/** 4 not comparable, 1 a regression (or nothing shown, where that fails), else 0. */
export function exitCodeOfComparison({ verdict }: Comparison, { failOnInconclusive }: ComparisonOutput): number {
  switch (verdict) {
    case 'not_comparable':
      return 4;
    case 'regressed':
      return 1;
    case 'inconclusive':
      return failOnInconclusive ? 1 : 0;
    case 'improved':
    case 'unchanged':
      return 0;
  }
}
