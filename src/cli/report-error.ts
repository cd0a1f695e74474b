import { ChatLoadError, messageOf, type ErrorCode } from '../base/errors.ts';
import { printableLines } from '../base/printable.ts';
import { NoVerdict } from './end-with-verdict.ts';
import { stderr, stdout } from './terminal.ts';
import { toolVersion } from '../edge/tool-version.ts';

export const usageExitCode = 2;
const exitCodes: Readonly<Record<ErrorCode, number>> = { usage: usageExitCode, environment: 3, not_comparable: 4 };
const bugExitCode = 70;

/** Reports an error and returns the exit code: errors of the user or the environment in words, our own with a stack. */
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
