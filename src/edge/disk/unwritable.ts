import { ChatLoadError, messageOf } from '../../base/errors.ts';

/** What could not be written, to be read after "Cannot write", such as "to a.json"; and what to do about it. */
interface Unwritten {
  what: string;
  hint: string;
}

/** The environment error of a file that could not be written, with what the system says. */
export function unwritable({ what, hint }: Unwritten, thrown: unknown): ChatLoadError {
  return new ChatLoadError('environment', {
    message: `Cannot write ${what}: ${reasonOf(thrown)}.`,
    hint,
    cause: thrown,
  });
}

/** The code that a failure of the system carries, such as `ENOENT`. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}

function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown);
  if (code === 'ENOSPC') return 'the disk is full';
  return code === 'EDQUOT' ? 'the quota is used up' : messageOf(thrown);
}
