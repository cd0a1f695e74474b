import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';

/** What could not be written, worded to follow "Cannot write", such as "to a.json"; and what to do about it. */
interface Unwritten {
  what: string;
  hint: string;
}

/** The environment error of a file that could not be written. */
export function unwritable({ what, hint }: Unwritten, thrown: unknown): ChatLoadError {
  return new ChatLoadError('environment', {
    message: `Cannot write ${what}: ${fileReason(thrown)}.`,
    hint,
    cause: thrown,
  });
}

/** The code that a failure of the system carries, such as `ENOENT`. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
