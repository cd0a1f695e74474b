import { lstat, readlink, stat } from 'node:fs/promises';
import { join, parse, resolve, sep } from 'node:path';

/** As of Linux. */
const mostLinks = 40;

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
    if (++links > mostLinks) return;
    const target = resolve(at, await readlink(next));
    parts = [...partsOf(target), ...parts];
    at = parse(target).root;
  }
}

const stickyAndOpen = 0o1002;

const partsOf = (path: string): string[] => path.slice(parse(path).root.length).split(sep).filter(Boolean);
