import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';

/** What could not be written, worded to follow "Cannot write", such as "to a.json"; and what to do about it. */
interface Unwritten {
  what: string;
  hint: string;
}

/** The environment error of a file that could not be written. */
export function unwritable({ what, hint }: Unwritten, thrown: unknown): ChatLoadError {
  return new ChatLoadError('environment', {
    message: `Cannot write ${what}: ${fileReason(thrown)}.`,
    hint,
    cause: thrown,
  });
}

/** The code that a failure of the system carries, such as `ENOENT`. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}

/** Makes the names in a folder survive a power cut. Where a folder cannot be synced, the system does so. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync();
  } catch (thrown) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF'].includes(String((thrown as NodeJS.ErrnoException).code)))
      throw thrown;
  } finally {
    await folder?.close();
  }
}

/** The path of a further copy: `peak.json` as `peak-2.json`. */
export function numbered(path: string, copy: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${String(copy)}${extension}`;
}

const passing = new Set<string>();
const signals = Object.keys(signalExitCodes) as readonly SignalName[];

/** A process that exits, or is ended by a signal, does not leave this file behind. Gives what undoes that. */
export function removeWhenEnded(path: string): () => void {
  if (passing.size === 0) listen();
  passing.add(path);
  return () => {
    if (passing.delete(path) && passing.size === 0) forget();
  };
}

function listen(): void {
  process.on('exit', removeAll);
  for (const signal of signals) process.on(signal, end);
}

function forget(): void {
  process.off('exit', removeAll);
  for (const signal of signals) process.off(signal, end);
}

function removeAll(): void {
  for (const path of passing) rmSync(path, { force: true });
}

/** Where others listen too, they say what a signal does. Exits by itself: the first process of a container is ended by no signal. */
function end(signal: SignalName): void {
  if (process.listenerCount(signal) === 1) process.exit(signalExitCodes[signal]);
}

/** Where a file is written before it is put at a path: beside it, under a name of its own. */
export function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`);
}

/** Puts a file in its place; `false`: another one is there. A link is atomic; where the file system has none, a check and a rename are used. */
export async function linkUnlessThere(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST' || existsSync(path)) return false;
    await rename(temporary, path);
  }
  return true;
}
