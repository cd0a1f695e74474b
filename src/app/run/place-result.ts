import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { printableJson } from '../../base/printable.ts';
import { writeUnderFreeName } from '../../edge/disk/write-result.ts';

/** Where a result, or another document that was measured, is. */
export interface Placed {
  /** As seen from the working directory. */
  path: string;
  /** Why it is not in the folder that was asked for; `undefined` when it is. */
  misplaced: ChatLoadError | undefined;
}

/**
 * Writes a result to its folder under a free name. Where that fails, since the folder was removed or the disk is full,
 * it goes to the working directory, and failing that to the system's folder for temporary files. Throws the first
 * environment error when it cannot be written anywhere.
 */
export async function placeResult(result: object, { folder, name }: { folder: string; name: string }): Promise<Placed> {
  const text = `${printableJson(result, 1)}\n`;
  const folders = [...new Set([folder, '.', tmpdir()].map((each) => resolve(each)))];
  let misplaced: ChatLoadError | undefined;
  for (const each of folders) {
    try {
      return { path: relative('.', await writeUnderFreeName(join(each, name), text)), misplaced };
    } catch (thrown) {
      if (!(thrown instanceof ChatLoadError)) throw thrown;
      misplaced ??= thrown;
    }
  }
  throw misplaced ?? new Error('there was no folder to write to');
}
