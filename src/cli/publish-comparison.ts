import { readCompared } from '../app/compare/compared-results.ts';
import type { Comparison } from '../compare/document/comparison.ts';
import { appendStepSummary } from '../edge/disk/step-summary.ts';
import { requireOtherFiles } from '../edge/disk/require-other-files.ts';
import { writeWhole } from '../edge/disk/write-result.ts';
import type { ComparisonOptions } from './comparison-options.ts';
import { documentText, printDocument } from './print-document.ts';
import { stderr } from './terminal.ts';

/** Prints a comparison and writes the files that were asked for. */
export async function publishComparison(
  comparison: Comparison,
  { format, html, junit, markdown }: Pick<ComparisonOptions, 'format' | 'html' | 'junit' | 'markdown'>,
): Promise<void> {
  const files = [...comparison.base.runs, ...comparison.head.runs].flatMap(({ file }) => file ?? []);
  await requireOtherFiles({ html, junit, markdown }, files);
  const runs = html !== undefined || format === 'html' ? await readCompared(comparison) : [];
  if (html !== undefined) await writeWhole(html, `${await documentText(comparison, 'html', { runs })}\n`);
  if (markdown !== undefined) await writeWhole(markdown, `${await documentText(comparison, 'markdown')}\n`);
  if (junit !== undefined) await writeWhole(junit, `${await documentText(comparison, 'junit')}\n`);
  const warning = await appendStepSummary(() => documentText(comparison, 'markdown'));
  if (warning !== undefined) stderr.note(`warning ${warning}`);
  await printDocument(comparison, format, { runs });
}

/** 4 not comparable, 1 a regression (or nothing shown, where that fails) or replies of the head that broke integrity, else 0. */
export function exitCodeOfComparison({
  verdict,
  failOnInconclusive,
  violatedRuns,
}: Pick<Comparison, 'verdict' | 'failOnInconclusive' | 'violatedRuns'>): number {
  const otherwise = violatedRuns > 0 ? 1 : 0;
  switch (verdict) {
    case 'not_comparable':
      return 4;
    case 'regressed':
      return 1;
    case 'inconclusive':
      return failOnInconclusive ? 1 : otherwise;
    case 'improved':
    case 'unchanged':
      return otherwise;
  }
}
