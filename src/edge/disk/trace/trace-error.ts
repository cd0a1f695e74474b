import { ChatLoadError } from '../../../base/errors.ts';

/** What is wrong with a trace file, and what to change. */
export function traceError(file: string, { problem, remedy }: { problem: string; remedy: string }, cause?: unknown) {
  return new ChatLoadError('usage', {
    message: `The trace ${file} cannot be read: ${problem}${problem.endsWith('?') ? '' : '.'}`,
    hint: remedy,
    cause,
  });
}
