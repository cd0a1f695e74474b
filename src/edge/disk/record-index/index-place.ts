import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { cacheFolder } from '../calibration-file.ts';
import { removeWhenEnded } from '../remove-when-ended.ts';

/** An index that is being written, beside those of others who write the same. */
export interface IndexPlace {
  /** Open to write and read. */
  file: number;
  /** Its path meanwhile, unlike that of any other: what else is needed for a while may stand beside it. */
  path: string;
  /** Puts it where it is found again, in one step. */
  keep(): void;
  /** Without that. */
  discard(): void;
}

/** Where the index of a file may be, the best first: beside it, or in the cache of this user. `suffix`: what it is an index of. */
export function indexPaths(path: string, suffix: string): string[] {
  const real = realpathSync(path);
  const name = createHash('sha256').update(real).digest('hex').slice(0, 24);
  return [`${real}.${suffix}`, join(cacheFolder(), `${name}.${suffix}`)];
}

/**
 * Opens a new file for an index. Where none can be kept, it is one that goes with this process. Throws an environment
 * error where nothing can be written at all.
 */
export function openIndexPlace(path: string, suffix: string): IndexPlace {
  for (const kept of indexPaths(path, suffix)) {
    try {
      mkdirSync(dirname(kept), { recursive: true });
      return placeAt(kept);
    } catch {
      // The next one.
    }
  }
  try {
    return passingPlace(join(tmpdir(), temporaryName(suffix)));
  } catch (thrown) {
    throw new ChatLoadError('environment', {
      message: `There is no place for the index of ${path}: ${fileReason(thrown)}.`,
      hint: 'Make its folder writable, or name one that is in CHAT_LOAD_CACHE.',
      cause: thrown,
    });
  }
}

const temporaryName = (name: string): string => `.${name}.${String(process.pid)}-${randomBytes(6).toString('hex')}.tmp`;

function placeAt(kept: string): IndexPlace {
  const temporary = join(dirname(kept), temporaryName(basename(kept)));
  const file = openSync(temporary, 'wx+', 0o644);
  const forget = removeWhenEnded(temporary);
  return {
    file,
    path: temporary,
    keep: () => {
      try {
        renameSync(temporary, kept);
      } catch {
        // It is read all the same: the next one who opens the file makes it again.
        rmSync(temporary, { force: true });
      }
      forget();
    },
    discard: () => {
      rmSync(temporary, { force: true });
      forget();
    },
  };
}

/** A file without a name, which is gone once it is closed. */
function passingPlace(temporary: string): IndexPlace {
  const file = openSync(temporary, 'wx+', 0o600);
  rmSync(temporary);
  return { file, path: temporary, keep: () => undefined, discard: () => undefined };
}
