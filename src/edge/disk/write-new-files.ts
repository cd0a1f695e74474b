import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
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
 * before any is written; none is ever overwritten.
 */
export async function writeNewFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  for (const { path } of files) if (existsSync(join(folder, path))) throw alreadyThere(join(folder, path), 'folder');
  for (const { path, text } of files) await writeNew({ path: join(folder, path), text }, 'folder');
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
    await writeFile(path, text, { flag: 'wx' });
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') throw alreadyThere(path, named);
    throw unwritable({ what: `to ${path}`, hint: 'Name a folder that can be written to.' }, thrown);
  }
}

const alreadyThere = (path: string, named: Named): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${path} exists already, and no file is overwritten.`,
    hint: `Name another ${named}, or move the file away.`,
  });
