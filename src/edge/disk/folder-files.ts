import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';

/** A file in a folder; `refused`: why it is not read, to follow its name. */
export interface FolderFile {
  name: string;
  path: string;
  changedAtMs: number;
  bytes: number;
  /** What it is, as long as nobody puts something else in its place. */
  stamp: string;
  refused: string | undefined;
}

/**
 * The files in a folder, by the end of their names, as they are now. What is no file, or a link to somewhere outside the
 * folder, is refused. Throws a usage error where the folder cannot be read.
 */
export function folderFiles(folder: string, end: string): FolderFile[] {
  return listFiles(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => folderFile(folder, name));
}

/** One of them. `name` is not a path. */
export function folderFile(folder: string, name: string): FolderFile {
  const path = join(folder, name);
  try {
    const stamp = stampOf(path);
    const isLink = lstatSync(path).isSymbolicLink();
    const stat = statSync(path);
    const seen = { name, path, changedAtMs: stat.mtimeMs, bytes: stat.size, stamp };
    if (isLink && !isWithin(folder, path)) return { ...seen, refused: 'is a link that leads out of the folder' };
    return { ...seen, refused: stat.isFile() ? undefined : 'is not a file' };
  } catch (thrown) {
    return { name, path, changedAtMs: 0, bytes: 0, stamp: '', refused: `cannot be read: ${fileReason(thrown)}` };
  }
}

/** Every renaming and every writing gives another one. Throws what the system says. */
export function stampOf(path: string): string {
  const { dev, ino, ctimeNs } = lstatSync(path, { bigint: true });
  return [dev, ino, ctimeNs].join(' ');
}

/** Whether a path ends within a folder, wherever links lead. */
function isWithin(folder: string, path: string): boolean {
  return realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`);
}

/** The names of the files in a folder, sorted; not the hidden ones, among which are those that are just being written. Throws a usage error. */
export function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .toSorted();
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `The folder ${folder} cannot be read: ${fileReason(thrown)}.`,
      hint: 'Name the folder that holds results, such as results; chat-load run writes there.',
      cause: thrown,
    });
  }
}

/** Those of them that are JSON by their names. */
export function listJson(folder: string): string[] {
  return listFiles(folder).filter((name) => name.endsWith('.json'));
}
