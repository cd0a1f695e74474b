import { repeatRuns } from '../app/run/repeat-runs.ts';
import type { Recorded } from '../app/run/record-run.ts';
import { messageOf } from '../base/errors.ts';
import { printableJson } from '../base/printable.ts';
import { runLine } from '../report/run/run-line.ts';
import { targetLine } from '../report/run/target-line.ts';
import { failedLine } from '../report/words/last-line.ts';
import { concludeRun, worstConclusion, type Conclusion } from './conclude.ts';
import { summarizeRun } from './print-run.ts';
import { reportError } from './report-error.ts';
import { stderr, stdout } from './terminal.ts';

type Repeating = Omit<Parameters<typeof repeatRuns>[0], 'ended' | 'failed'>;

/** Makes runs of one sitting and prints of each its outcome, and why it failed; the text ends with the worst of them. Gives the exit code. */
export async function runRepeatedly(repeating: Repeating, { json }: { json: boolean }): Promise<number> {
  const conclusions: Conclusion[] = [];
  const { runs, endedEarly } = await repeatRuns({
    ...repeating,
    ended: async (name, recorded) => {
      printOne({ name, recorded, isFirst: conclusions.length === 0 }, json);
      const { code, line } = concludeRun(recorded, repeating.stops);
      await summarizeRun(recorded.result, line);
      if (!json && code !== 0) stdout.note(`  ${line}`);
      conclusions.push({ code, line: line.replace(': ', `: ${name}: `) });
    },
    failed: (name, thrown) =>
      conclusions.push({ code: reportError(thrown), line: failedLine(`${name}: ${messageOf(thrown)}`) }),
  });
  if (endedEarly !== undefined) reportCount({ runs, count: repeating.count }, endedEarly);
  const worst = worstConclusion(conclusions);
  const failed = conclusions.filter(({ code }) => code !== 0).length;
  const others = failed > 1 ? `; ${String(failed)} of ${String(conclusions.length)} runs did not pass` : '';
  if (!json && worst !== undefined) stdout.note(worst.line + others);
  return worst?.code ?? 0;
}

function printOne({ name, recorded, isFirst }: { name: string; recorded: Recorded; isFirst: boolean }, json: boolean) {
  if (json) return stdout.line(printableJson(recorded.result));
  if (isFirst) stdout.note(targetLine(recorded.result));
  stdout.line(runLine(name, recorded, stdout));
}

function reportCount({ runs, count }: { runs: number; count: number }, why: string): void {
  stderr.note(`${String(runs)} of ${String(count)} runs ${runs === 1 ? 'was' : 'were'} made: ${why}.`);
}
