import { performCapacityComparison } from '../app/compare/perform-capacity-comparison.ts';
import type { SideSources } from '../app/compare/read-side.ts';
import { ChatLoadError } from '../base/errors.ts';
import type { CapacityComparison } from '../capacity/compare/capacity-comparison.ts';
import type { SideName } from '../compare/document/side.ts';
import { requireOtherFiles } from '../edge/disk/require-other-files.ts';
import { appendStepSummary } from '../edge/disk/step-summary.ts';
import { writeWhole } from '../edge/disk/write-result.ts';
import type { ComparisonArguments, ComparisonOptions } from './comparison-options.ts';
import { documentText, printDocument } from './print-document.ts';
import { exitCodeOfComparison } from './publish-comparison.ts';
import { stderr } from './terminal.ts';

/** Flags that say how noise of runs is judged: a capacity is an interval already. */
const ofResults = ['margin', 'fdr', 'history', 'no-history', 'assume-noise'] as const;

/** Compares capacities, prints what was found and writes the files asked for; gives the exit code. */
export async function compareCapacityFiles(
  sides: Readonly<Record<SideName, SideSources>>,
  options: ComparisonOptions,
  args: ComparisonArguments,
): Promise<number> {
  const refused = ofResults.find((flag) => args[flag] !== undefined && args[flag] !== false);
  if (refused !== undefined)
    throw new ChatLoadError('usage', {
      message: `--${refused} is for results of runs; these are capacities, which are intervals.`,
      hint: `Leave --${refused} out.`,
    });
  const { force, failOnInconclusive } = options;
  const comparison = await performCapacityComparison(sides, { force, failOnInconclusive });
  await publish(comparison, options);
  return exitCodeOfComparison({ ...comparison, violatedRuns: 0 });
}

async function publish(
  comparison: CapacityComparison,
  { format, html, junit, markdown }: ComparisonOptions,
): Promise<void> {
  const files = [...comparison.base.searches, ...comparison.head.searches].flatMap(({ file }) => file ?? []);
  const wanted = { html, markdown, junit };
  await requireOtherFiles(wanted, files);
  for (const each of ['html', 'markdown', 'junit'] as const) {
    const path = wanted[each];
    if (path !== undefined) await writeWhole(path, `${await documentText(comparison, each)}\n`);
  }
  const warning = await appendStepSummary(() => documentText(comparison, 'markdown'));
  if (warning !== undefined) stderr.note(`warning ${warning}`);
  await printDocument(comparison, format);
}
