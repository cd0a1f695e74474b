import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { requireOwnLinks } from './require-own-links.ts';

/**
 * Makes a folder and its missing parents, to write there. Throws what the system reports, and where another user's link
 * leads to it (`requireOwnLinks`).
 */
export async function makeFolder(folder: string): Promise<void> {
  await make(resolve(folder));
  await requireOwnLinks(folder);
}

/** Step by step: on a file system that makes none (such as /proc) `mkdir` of Node.js with `recursive` never comes back. */
async function make(path: string): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await make(dirname(path));
  try {
    await mkdir(path);
  } catch (thrown) {
    // Another process may have made it meanwhile.
    if (!(await isFolder(path))) throw thrown;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw thrown;
  }
}
