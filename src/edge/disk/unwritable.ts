import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';

/** Returns the environment error for a file that could not be written. `what` follows "Cannot write", such as "to a.json". */
export function unwritable(what: string, hint: string, thrown: unknown): ChatLoadError {
  const message = `Cannot write ${what}: ${fileReason(thrown)}.`;
  return new ChatLoadError('environment', { message, hint, cause: thrown });
}

/** Returns the code of a system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}

/** Makes the names in a folder survive a power cut, on file systems that can sync a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync();
  } catch (thrown) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF'].includes(String(codeOf(thrown)))) throw thrown;
  } finally {
    await folder?.close();
  }
}

/** Returns the path of a further copy: `peak-2.json` for `peak.json`. */
export function numbered(path: string, copy: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${String(copy)}${extension}`;
}

/** Returns a unique path next to a file, for writing it before it gets its name. A name has at most 255 bytes. */
export function temporaryFor(path: string): string {
  const start = Array.from(basename(path)).slice(0, 40).join('');
  return join(dirname(path), `.${start}.${randomBytes(4).toString('hex')}.tmp`);
}

const temporaries = new Set<string>();
const signals = Object.keys(signalExitCodes) as readonly SignalName[];

/** Removes a file when the process exits or is ended by a signal, or before that when the returned function is called. */
export function removeWhenEnded(path: string): () => void {
  if (temporaries.size === 0) {
    process.on('exit', removeAll);
    for (const signal of signals) process.on(signal, exitIfAlone);
  }
  temporaries.add(path);
  return () => {
    remove(path);
    if (!temporaries.delete(path) || temporaries.size > 0) return;
    process.off('exit', removeAll);
    for (const signal of signals) process.off(signal, exitIfAlone);
  };
}

/** Never throws: the failure that led here is the one to report. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Its folder is no longer a folder, or can no longer be written to.
  }
}

const removeAll = (): void => temporaries.forEach(remove);

/** Other listeners decide the effect of a signal. Exits by itself: no signal ends the first process of a container. */
function exitIfAlone(signal: SignalName): void {
  if (process.listenerCount(signal) === 1) process.exit(signalExitCodes[signal]);
}

/** Moves a temporary file to its path; returns false if another file exists there. Atomic where the file system has links. */
export async function linkUnlessThere(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST' || existsSync(path)) return false;
    await rename(temporary, path);
  }
  return true;
}
