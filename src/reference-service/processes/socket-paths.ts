import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the processes of a service await links from each other. */
export interface SocketPaths {
  /** By the number of the process. */
  paths: readonly string[];
  /** Once all are linked, nobody needs the paths any more. */
  remove: () => Promise<void>;
}

/** Sockets in a folder that only this user may enter; on Windows, named pipes. */
export async function makeSocketPaths(count: number): Promise<SocketPaths> {
  const pathsIn = (folder: string): string[] =>
    Array.from({ length: count }, (_, index) => `${folder}${String(index)}`);
  if (process.platform === 'win32')
    return { paths: pathsIn(`\\\\.\\pipe\\chat-load-${randomUUID()}-`), remove: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'chat-load-'));
  return { paths: pathsIn(`${folder}/`), remove: () => rm(folder, { recursive: true, force: true }) };
}
