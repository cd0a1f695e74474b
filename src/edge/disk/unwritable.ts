import { open } from 'node:fs/promises';
import { extname } from 'node:path';
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

/** Makes the names in a folder survive a power cut. Where a folder cannot be synced, the system does so. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync();
  } catch (thrown) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF'].includes(String((thrown as NodeJS.ErrnoException).code)))
      throw thrown;
  } finally {
    await folder?.close();
  }
}

/** The path of a further copy: `peak.json` as `peak-2.json`. */
export function numbered(path: string, copy: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${String(copy)}${extension}`;
}
