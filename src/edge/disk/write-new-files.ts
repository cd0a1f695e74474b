import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { makeFolder } from './make-folder.ts';
import { codeOf, unwritable } from './unwritable.ts';

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
  for (const { path } of files) if (existsSync(join(folder, path))) throw alreadyThere(join(folder, path), 'folder');
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

/** What the user named. */
type Named = 'file' | 'folder';

async function writeNew({ path, text }: NewFile, named: Named): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await writeWhole(path, text);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') throw alreadyThere(path, named);
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

const alreadyThere = (path: string, named: Named): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${path} exists already, and no file is overwritten.`,
    hint: `Name another ${named}, or move the file away.`,
  });
