import { unfitRemedy } from '../report/unfit-remedy.ts';
import { exitCodeOf, worstExitCode } from '../result/exit-code.ts';
import type { Stop } from '../result/stop.ts';
import { failedLine, verdictLine } from '../report/verdict-line.ts';
import type { RunStop } from '../schedule/ending.ts';
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
  if (result.run.stop !== null) tell(result.run.stop, stop);
  if (misplaced === undefined) return;
  stderr.line(`${stderr.colors.red('error')} ${misplaced.message}`);
  stderr.line(`The result is in another place: ${path}`);
}

function tell({ kind, why }: Stop, stop: RunStop | undefined): void {
  const { red } = stderr.colors;
  switch (kind) {
    case 'circuit':
      stderr.line(`${red('error')} The service refused the API key (${why}): nothing more was sent.`);
      stderr.line('Check CHAT_LOAD_API_KEY (or target.apiKey), and that it is a key for the chat API of this account.');
      break;
    case 'target_gone':
    case 'no_success':
      stderr.line(`${red('error')} The run was stopped: ${ended(why)}`);
      stderr.line('See whether the service is up. How long is waited for it: stopWhen in the scenario.');
      break;
    case 'target_unfit':
      stderr.line(`${red('error')} The run was stopped: ${ended(why)}`);
      if (stop?.kind === 'target_unfit') stderr.line(unfitRemedy(stop.operation, stop.outcome));
      break;
    case 'journal':
      stderr.line(`${red('error')} The run was stopped: ${why}`);
      stderr.line('What had been sent until then is in the result. Make room, or name another folder with --out.');
      break;
    case 'cap':
    case 'max_duration':
    case 'gate':
      stderr.line(`The run was stopped: ${ended(why)}`);
      break;
    // Errors are thrown, and who sent a signal knows.
    case 'bug':
    case 'scenario_error':
    case 'signal':
  }
}

/** With the full stop that the words of another may have already. */
const ended = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
