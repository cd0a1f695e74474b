import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ChatLoadError, messageOf } from '../../base/errors.ts';

/** Makes the folder of a result file and sees that a file can be written there, before anything is sent. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (thrown) {
    throw unwritable(folder, thrown);
  }
}

/** Writes a file so that it is there whole or not at all: a temporary file beside it, synced, then renamed. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw unwritable(path, thrown);
  }
}

const unwritable = (path: string, thrown: unknown): ChatLoadError =>
  new ChatLoadError('environment', {
    message: `Cannot write to ${path}: ${messageOf(thrown)}`,
    hint: 'Make the folder writable, or name another with --out.',
    cause: thrown,
  });
