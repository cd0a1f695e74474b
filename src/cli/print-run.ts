import { printableJson } from '../base/printable.ts';
import { appendStepSummary } from '../edge/disk/step-summary.ts';
import type { Recorded } from '../app/run/record-run.ts';
import { targetLine } from '../report/run/target-line.ts';
import type { Result } from '../result/result.ts';
import { documentText, printDocument } from './print-document.ts';
import { stderr, stdout } from './terminal.ts';

/** Prints a result, where it is, and as the last line how it came out. */
export async function printRun(
  { result, path }: Pick<Recorded, 'result' | 'path'>,
  { quiet, json }: { quiet: boolean; json: boolean },
  verdict: string,
): Promise<void> {
  if (json) return stdout.line(printableJson(result));
  if (!quiet) return printDocument(result, 'terminal', { path, verdict });
  stdout.note(targetLine(result));
  stdout.note(`result    ${path}`);
  stdout.note(verdict);
}

/** On GitHub, every run is in the summary of its step. */
export async function summarizeRun(result: Result, verdict: string): Promise<void> {
  const warning = await appendStepSummary(() => documentText(result, 'markdown', { verdict }));
  if (warning !== undefined) stderr.note(`warning ${warning}`);
}
