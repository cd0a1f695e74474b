import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { makeFolder } from './make-folder.ts';
import { removeWhenEnded } from './remove-when-ended.ts';
import { codeOf, syncFolder, unwritable } from './unwritable.ts';

/** A new file that is written piece by piece, and is there when it is whole. */
export interface NewStream {
  write(text: string): Promise<void>;
  /** Puts the file in its place. Throws a usage error where another one is there by then. */
  commit(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

/** Throws a usage error where the file is there already: none is overwritten. */
export async function openNewStream(path: string): Promise<NewStream> {
  if (existsSync(path)) throw alreadyThere(path);
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`);
  const file = await naming(path, async () => {
    await makeFolder(dirname(path));
    return open(temporary, 'wx');
  });
  const forget = removeWhenEnded(temporary);
  return {
    write: (text) => naming(path, () => file.writeFile(text)),
    commit: async () => {
      await naming(path, () => place(file, temporary, path));
      forget();
    },
    discard: async () => {
      await file.close().catch(() => undefined);
      await rm(temporary, { force: true });
      forget();
    },
  };
}

/** A link fails where the file is there, whoever made it; where the file system has none, a check and a rename are used. */
async function place(file: FileHandle, temporary: string, path: string): Promise<void> {
  await file.sync();
  await file.close();
  try {
    await link(temporary, path);
    await rm(temporary, { force: true });
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST' || existsSync(path)) {
      await rm(temporary, { force: true });
      throw alreadyThere(path);
    }
    await rename(temporary, path);
  }
  await syncFolder(dirname(path));
}

async function naming<Value>(path: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof ChatLoadError) throw thrown;
    throw unwritable({ what: `to ${path}`, hint: 'Name a file that can be written with --to.' }, thrown);
  }
}

const alreadyThere = (path: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${path} exists already, and no file is overwritten.`,
    hint: 'Name another file with --to, or move that one away.',
  });
