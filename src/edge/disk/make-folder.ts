import { mkdir, stat, lstat, readlink } from 'node:fs/promises';
import { dirname, resolve, join, parse, sep } from 'node:path';

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

/** As of Linux. */
const maxLinks = 40;

/**
 * Throws where a path leads through a link that another user made in a folder that everybody can write to (such as /tmp):
 * whoever made it would choose the file that is written. The rule of `fs.protected_symlinks`, for folders on the way too;
 * links of this user, and of the folder's owner, are followed. Parts that do not exist end the walk.
 */
export async function requireOwnLinks(path: string, user: number | undefined = process.geteuid?.()): Promise<void> {
  // Windows has no such folders.
  if (user === undefined) return;
  let at = parse(resolve(path)).root;
  let parts = partsOf(resolve(path));
  for (let links = 0; parts.length > 0;) {
    const next = join(at, parts[0] ?? '');
    const found = await lstat(next).catch(() => undefined);
    if (found === undefined) return;
    parts = parts.slice(1);
    if (!found.isSymbolicLink()) {
      at = next;
      continue;
    }
    const folder = await stat(at);
    const isOpen = (folder.mode & stickyAndOpen) === stickyAndOpen;
    if (isOpen && found.uid !== user && found.uid !== folder.uid)
      throw new Error(`${next} is a link that another user made in a folder that everybody can write to`);
    if (++links > maxLinks) return;
    const target = resolve(at, await readlink(next));
    parts = [...partsOf(target), ...parts];
    at = parse(target).root;
  }
}

const stickyAndOpen = 0o1002;

const partsOf = (path: string): string[] => path.slice(parse(path).root.length).split(sep).filter(Boolean);
