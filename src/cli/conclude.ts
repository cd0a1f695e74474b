import { exitCodeOf, isOrderly, worstExitCode } from '../result/exit-code.ts';
import type { Stop } from '../result/stop.ts';
import { failedLine, verdictLine } from '../report/verdict-line.ts';
import type { Recorded } from './record-run.ts';
import type { Stops } from './signals.ts';
import { stderr } from './terminal.ts';

/** How a run came out: its exit code, and the line about it that the text ends with. */
export interface Conclusion {
  code: number;
  line: string;
}

/** How a recorded run came out. A result that is not where it was asked for is a failure too. */
export function concludeRun({ result, misplaced }: Recorded, stops: Stops): Conclusion {
  const signal = stops.signal();
  const code = exitCodeOf(result, signal);
  const isWorse = misplaced !== undefined && worstExitCode([code, 3]) === 3;
  if (isWorse) return { code: 3, line: failedLine(misplaced.message) };
  return { code, line: verdictLine(result, signal) };
}

/** Says on standard error why the run ended early, if it did, and when its result is not where it was asked for. Throws what ended it. */
export function tellEnd({ result, stop, path, misplaced }: Recorded): void {
  if (stop?.kind === 'bug' || stop?.kind === 'scenario_error') throw stop.error;
  if (result.run.stop !== null) tell(result.run.stop);
  if (misplaced === undefined) return;
  stderr.line(`${stderr.colors.red('error')} ${misplaced.message}`);
  stderr.line(`The result is in another place: ${path}`);
}

/** Errors are thrown, and who sent a signal knows. */
function tell(stop: Stop): void {
  const { kind, why, remedy } = stop;
  if (kind === 'signal') return;
  const what =
    kind === 'circuit'
      ? `The service refused the API key (${why}): nothing more was sent.`
      : `The run was stopped: ${ended(why)}`;
  stderr.line(isOrderly(stop) ? what : `${stderr.colors.red('error')} ${what}`);
  if (remedy !== null) stderr.line(remedy);
}

/** With the full stop that the words of another may have already. */
const ended = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
