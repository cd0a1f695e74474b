import { existsSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { makeFolder } from './make-folder.ts';
import { codeOf, linkUnlessThere, removeWhenEnded, syncFolder, temporaryFor, unwritable } from './unwritable.ts';

/** A file to write: its path, below the folder where there is one, and its text. */
export interface NewFile {
  path: string;
  text: string;
}

/**
 * Writes files below a folder, which is made. Throws a usage error that names the first file that exists already,
 * before any is written; none is ever overwritten. If one cannot be written, those before it are removed.
 */
export async function writeNewFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  for (const { path } of files)
    if (existsSync(join(folder, path))) throw alreadyThere(join(folder, path), hints.folder);
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      await writeNew({ path: join(folder, path), text }, 'folder');
      written.push(join(folder, path));
    }
  } catch (thrown) {
    await Promise.all(written.map((path) => rm(path, { force: true })));
    throw thrown;
  }
}

/** Writes a file, and the folder that it is in. Throws a usage error where it exists already: it is not overwritten. */
export async function writeNewFile(file: NewFile): Promise<void> {
  await writeNew(file, 'file');
}

/** By what the user named: the remedy where a file is there already. */
const hints = {
  file: 'Name another file, or move the file away.',
  folder: 'Name another folder, or move the file away.',
};

async function writeNew({ path, text }: NewFile, named: keyof typeof hints): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await writeWhole(path, text);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') throw alreadyThere(path, hints[named]);
    throw unwritable({ what: `to ${path}`, hint: 'Name a folder that can be written to.' }, thrown);
  }
}

/** On a full disk an empty file would be left. */
async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
  } catch (thrown) {
    await rm(path, { force: true });
    throw thrown;
  } finally {
    await file.close();
  }
}

const alreadyThere = (path: string, hint: string): ChatLoadError =>
  new ChatLoadError('usage', { message: `${path} exists already, and no file is overwritten.`, hint });

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
  if (existsSync(path)) throw alreadyThere(path, streamHint);
  const temporary = temporaryFor(path);
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

async function place(file: FileHandle, temporary: string, path: string): Promise<void> {
  await file.sync();
  await file.close();
  const isPlaced = await linkUnlessThere(temporary, path);
  await rm(temporary, { force: true });
  if (!isPlaced) throw alreadyThere(path, streamHint);
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

const streamHint = 'Name another file with --to, or move that one away.';
