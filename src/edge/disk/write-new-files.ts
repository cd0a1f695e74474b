import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { makeFolder } from './make-folder.ts';
import { linkUnlessThere, removeWhenEnded, syncFolder, temporaryFor, unwritable } from './unwritable.ts';
import { writeThrough } from './write-result.ts';

export interface NewFile {
  path: string;
  text: string;
}

/**
 * Writes files below a folder, which is created if it is missing. Throws a usage error that names the first file that
 * exists, before any is written: none is overwritten. If a file cannot be written, those written before it are removed.
 */
export async function writeNewFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const hint = 'Nothing was written. Use the existing file, rename it, or name another folder.';
  const placed = files.map(({ path, text }) => ({ path: join(folder, path), text }));
  for (const { path } of placed) if (existsSync(path)) throw alreadyThere(path, hint);
  const written: string[] = [];
  try {
    for (const file of placed) {
      await writeNewFile(file, hint);
      written.push(file.path);
    }
  } catch (thrown) {
    await Promise.all(written.map((path) => rm(path, { force: true })));
    throw thrown;
  }
}

/** Writes a file and creates its folder. Throws a usage error if the file exists: it is not overwritten. */
export async function writeNewFile(
  { path, text }: NewFile,
  hint = 'Name another file, or rename the existing one.',
): Promise<void> {
  await orUnwritable(path, 'Name a folder that can be written to.', async () => {
    await makeFolder(dirname(path));
    await writeThrough(path, text, async (temporary) => {
      if (!(await linkUnlessThere(temporary, path))) throw alreadyThere(path, hint);
    });
  });
}

const alreadyThere = (path: string, hint: string): ChatLoadError =>
  new ChatLoadError('usage', { message: `${path} already exists and is not overwritten.`, hint });

async function orUnwritable<Value>(path: string, hint: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (thrown) {
    throw thrown instanceof ChatLoadError ? thrown : unwritable(`to ${path}`, hint, thrown);
  }
}

/** Opens a new file, which is written part by part and appears at its path when it is complete. Throws a usage error if the file exists. */
export async function openNewStream(path: string) {
  const taken = (): ChatLoadError => alreadyThere(path, 'Name another file with --to, or rename the existing one.');
  const attempt = <Value>(act: () => Promise<Value>): Promise<Value> =>
    orUnwritable(path, 'Name a file that can be written with --to.', act);
  if (existsSync(path)) throw taken();
  const temporary = temporaryFor(path);
  // Before the file exists: a signal may arrive at once.
  const remove = removeWhenEnded(temporary);
  const file = await attempt(async () => {
    await makeFolder(dirname(path));
    return open(temporary, 'wx');
  }).catch((thrown: unknown) => {
    remove();
    throw thrown;
  });
  return {
    write: (text: string) => attempt(() => file.writeFile(text)),
    /** Moves the file to its path. Throws a usage error if another file exists there by then. */
    commit: () =>
      attempt(async () => {
        await file.sync();
        await file.close();
        const isPlaced = await linkUnlessThere(temporary, path);
        remove();
        if (!isPlaced) throw taken();
        await syncFolder(dirname(path));
      }),
    /** Removes the file, unless it was committed. */
    discard: async () => {
      await file.close().catch(() => undefined);
      remove();
    },
  };
}
