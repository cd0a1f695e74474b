import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { codeOf } from './unwritable.ts';

/**
 * Writes to what exists and is no regular file, such as a pipe or a device, as it is. Throws if another user made it in a
 * folder that everybody can write to or that is sticky: whoever made it would get the text. Waits for no reader.
 */
export async function writeInto(path: string, text: string): Promise<void> {
  const known = await stat(path);
  await requireOwn(path, known);
  if (known.isFIFO()) return writeToPipe(path, known, text);
  const file = await open(path, constants.O_WRONLY);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

/** Throws if another user made it in a folder that everybody can write to or that is sticky. */
export async function requireOwn(path: string, { uid }: Stats): Promise<void> {
  if (process.geteuid === undefined || uid === process.geteuid()) return;
  const folder = await stat(dirname(path));
  if ((folder.mode & stickyOrOpen) !== 0)
    throw new Error('it is no regular file, and another user made it in a folder that is for everybody');
}

const stickyOrOpen = 0o1002;

/** Without waiting, as a reader that is missing or slow would hold a thread, which no signal ends. */
async function writeToPipe(path: string, known: Stats, text: string): Promise<void> {
  const fd = openPipe(path);
  const opened = fstatSync(fd);
  if (opened.ino !== known.ino || opened.dev !== known.dev) {
    closeSync(fd);
    throw new Error('it was replaced meanwhile');
  }
  const pipe = new Socket({ fd, readable: false, writable: true });
  await new Promise<void>((resolve, reject) => {
    pipe.once('error', reject);
    pipe.write(text, (failure) => (failure ? reject(failure) : resolve()));
  }).finally(() => pipe.destroy());
}

function openPipe(path: string): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    throw codeOf(thrown) === 'ENXIO' ? new Error('nobody reads this pipe', { cause: thrown }) : thrown;
  }
}
