import { ChatLoadError, messageOf, type ErrorCode } from '../../base/errors.ts';
import { printableLines } from '../../base/printable.ts';
import { failedLine, invalidLine } from '../../report/words/last-line.ts';
import { stderr, stdout } from './terminal.ts';
import { toolVersion } from '../../edge/tool-version.ts';

export const usageExitCode = 2;
const exitCodes: Readonly<Record<ErrorCode, number>> = { usage: usageExitCode, environment: 3, not_comparable: 4 };
const bugExitCode = 70;

/** Prints an error and returns the exit code: user and environment errors with a hint, bugs with a stack. */
export function reportError(thrown: unknown): number {
  if (thrown instanceof NoVerdict) {
    const code = reportError(thrown.reason);
    stdout.note(thrown.line);
    return code;
  }
  if (thrown instanceof ChatLoadError) {
    stderr.line(`${stderr.colors.red('error')} ${thrown.message}\n${thrown.hint}`);
    return exitCodes[thrown.code];
  }
  stderr.note(`This is a bug in chat-load ${toolVersion}. Please report it with the following.`);
  stderr.line(printableLines(thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown)));
  return bugExitCode;
}

/** An error that prevented a requested verdict; the output then ends with `line`. */
class NoVerdict extends Error {
  readonly reason: ChatLoadError;
  readonly line: string;

  constructor(reason: ChatLoadError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
    this.line = reason.code === 'not_comparable' ? invalidLine(reason.message) : failedLine(reason.message);
  }
}

/** Runs a command whose output ends with a verdict, even after an error. Rejects with `NoVerdict` for a `ChatLoadError`. */
export async function endWithVerdict<Done>(isText: boolean, perform: () => Promise<Done>): Promise<Done> {
  try {
    return await perform();
  } catch (thrown) {
    throw isText && thrown instanceof ChatLoadError ? new NoVerdict(thrown) : thrown;
  }
}
