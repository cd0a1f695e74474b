import { exitCodeOf, isOrderly, worstExitCode } from '../../result/exit-code.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import { failedLine } from '../../report/words/last-line.ts';
import { verdictLine } from '../../report/run/verdict-line.ts';
import { wordRefusedKey } from '../../protocol/refused-key.ts';
import type { RunStop } from '../../schedule/stop/stop-controller.ts';
import type { Placed } from '../../app/run/place-result.ts';
import type { Recorded } from '../../app/run/record-run.ts';
import { reportError } from './report-error.ts';
import { printable, printableLines } from '../../base/printable.ts';
import type { Stops } from '../../app/run/ports.ts';
import { stderr } from './terminal.ts';

/** How a run came out: its exit code, and the line about it that the text ends with. */
export interface Conclusion {
  code: number;
  line: string;
}

/**
 * Says on standard error why a recorded run ended early, if it did, and when its result is not where it was asked for,
 * which is a failure too; gives how it came out. Nothing is said after the line, so this goes before what ends with it.
 */
export function concludeRun({ result, stop, path, misplaced }: Recorded, stops: Stops): Conclusion {
  const signal = stops.signal();
  const code = stopExitCode(result.run.stop, stop) ?? exitCodeOf(result, signal);
  const failedLate = stop !== undefined && result.run.stop === null;
  const line = failedLate ? failedLine(lateFailure) : verdictLine(result, signal);
  return concludePlace({ code, line }, { path, misplaced }, 'result');
}

/** Says on standard error that a document is not where it was asked for, if so, which is a failure; `noun`: what it is. */
export function concludePlace(concluded: Conclusion, { misplaced, path }: Placed, noun: string): Conclusion {
  if (misplaced === undefined) return concluded;
  stderr.line(`${stderr.colors.red('error')} ${printableLines(misplaced.message)}`);
  stderr.note(`The ${noun} was written elsewhere: ${path}`);
  const failed = { code: 3, line: failedLine(misplaced.message) };
  return worstConclusion([failed, concluded]) ?? failed;
}

/** Its result does not say so: it was complete by then. */
const lateFailure = 'code of the scenario failed just after the run had ended';

/** The run that decides about all of them: the first of the worst, one with something to say before one that just passed. */
export function worstConclusion(conclusions: readonly Conclusion[]): Conclusion | undefined {
  const worst = worstExitCode(conclusions.map(({ code }) => code));
  const deciding = conclusions.filter(({ code }) => code === worst);
  return deciding.find(({ line }) => line !== 'PASSED') ?? deciding[0];
}

/** Gives the exit code where an error decides it. */
function stopExitCode(published: Stop | null, stop: RunStop | undefined): number | undefined {
  if (stop?.kind === 'bug' || stop?.kind === 'scenario_error') return reportError(stop.error);
  if (published !== null) reportStop(published);
  return undefined;
}

/** The sender of a signal knows about it. */
function reportStop(stop: Stop): void {
  const { kind, reason, remedy } = stop;
  if (kind === 'signal') return;
  const what = kind === 'circuit' ? wordRefusedKey(reason) : `The run was stopped: ${ended(reason)}`;
  if (isOrderly(stop)) stderr.note(what);
  else stderr.line(`${stderr.colors.red('error')} ${printable(what)}`);
  if (remedy !== null) stderr.note(remedy);
}

/** With a full stop, if the text has none. */
const ended = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
