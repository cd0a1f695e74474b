import { lstat, mkdir, readlink, stat } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { codeOf } from './unwritable.ts';

/** Creates a folder and its missing parents. Throws system errors, and if another user's link leads to it (`requireOwnLinks`). */
export async function makeFolder(folder: string): Promise<void> {
  await make(resolve(folder));
  await requireOwnLinks(folder);
}

/** Creates one folder at a time: `mkdir` with `recursive` never returns on a file system that does not allow new folders (such as /proc). */
async function make(path: string): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await make(dirname(path));
  try {
    await mkdir(path);
  } catch (thrown) {
    // Another process may have created it meanwhile.
    if (!(await isFolder(path))) throw thrown;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

/** Maximum number of links in a path, as in Linux. */
const maxLinks = 40;

/**
 * Throws if a path leads through a link that another user created in a folder that everybody can write to (such as
 * /tmp): that user would choose the file that is written. Applies the rule of `fs.protected_symlinks` to every folder
 * in the path; links of this user and of the folder's owner are followed. The check ends at the first part that does
 * not exist.
 */
export async function requireOwnLinks(path: string, user: number | undefined = process.geteuid?.()): Promise<void> {
  // Windows has no sticky folders.
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
      throw new Error(`${next} is a link that another user created in a folder that everybody can write to`);
    if (++links > maxLinks) return;
    const target = resolve(at, await readlink(next));
    parts = [...partsOf(target), ...parts];
    at = parse(target).root;
  }
}

const stickyAndOpen = 0o1002;

const partsOf = (path: string): string[] => path.slice(parse(path).root.length).split(sep).filter(Boolean);
