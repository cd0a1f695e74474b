import { messageOf } from './errors.ts';

/** Returns the reason why a file or folder could not be read or written; the system's own message only for unknown reasons. */
export function fileReason(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return reasons.get(code) ?? messageOf(thrown);
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ELOOP', 'its links lead in a circle'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the quota is used up'],
]);
