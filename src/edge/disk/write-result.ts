import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { access, appendFile, open, realpath, rename, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { makeFolder, requireOwnLinks } from './make-folder.ts';
import {
  codeOf,
  linkUnlessThere,
  numbered,
  removeWhenEnded,
  syncFolder,
  temporaryFor,
  unwritable,
} from './unwritable.ts';

/** Creates a folder and checks that files can be written there, before anything is sent. Errors name the flag of the folder. */
export async function prepareFolder(folder: string, flag = '--out'): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (thrown) {
    throw unwritable(`to ${folder}`, `Make the folder writable, or name another with ${flag}.`, thrown);
  }
}

/** Creates the folder of a file and checks that the file can be written. An existing file must be one that `writeWhole` accepts, or with `isPlain` a regular file. */
export async function prepareFile(path: string, flag: string, { isPlain = false } = {}): Promise<void> {
  await prepareFolder(dirname(path), flag);
  try {
    await requireOwnLinks(path);
    const known = await stat(path).catch(() => undefined);
    if (known?.isDirectory() === true) throw new Error('it is a folder');
    if (isPlain && known?.isFile() === false) throw new Error('it is not a file');
    if (known !== undefined && !known.isFile()) await requireOwn(await realpath(path), known);
  } catch (thrown) {
    throw unwritable(`to ${path}`, `Name a file in a folder of your own with ${flag}.`, thrown);
  }
}

const hint = 'Make the folder writable, or name another.';

/**
 * Writes a file completely or not at all. Replaces an existing file; a link stays, and its target is replaced. Writes into
 * anything else, such as a pipe or a device. Refuses links, pipes and devices of other users in folders that everybody can
 * write to.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  await requireOwnLinks(path).catch((thrown: unknown) => {
    throw unwritable(`to ${path}`, hint, thrown);
  });
  const target = await realpath(path).catch(() => path);
  const known = await stat(target).catch(() => undefined);
  if (known === undefined || known.isFile() || known.isDirectory())
    return writeThrough(target, text, (temporary) => rename(temporary, target));
  await writeInto(target, known, text).catch((thrown: unknown) => {
    throw unwritable(`to ${path}`, 'Name a file in a folder of your own.', thrown);
  });
}

/** Writes a file like `writeWhole`, but keeps an existing one: the name gets `-2`, `-3` and so on. Returns the path used. */
export async function writeUnderFreeName(path: string, text: string): Promise<string> {
  let free = path;
  await writeThrough(path, text, async (temporary) => {
    for (let copy = 2; !(await linkUnlessThere(temporary, free)); copy++) free = numbered(path, copy);
  });
  return free;
}

/**
 * Writes and syncs a temporary file, moves it to its path by `put`, and syncs the folder, which contains its name. The
 * temporary file is removed in any case, also if the process exits meanwhile.
 */
export async function writeThrough(
  path: string,
  text: string,
  put: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = temporaryFor(path);
  const remove = removeWhenEnded(temporary);
  try {
    await requireOwnLinks(dirname(path));
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await put(temporary);
    await syncFolder(dirname(path));
  } catch (thrown) {
    throw thrown instanceof ChatLoadError ? thrown : unwritable(`to ${path}`, hint, thrown);
  } finally {
    remove();
  }
}

/** Writes to something that is not a regular file, such as a pipe or a device. Does not wait for a reader. */
async function writeInto(path: string, known: Stats, text: string): Promise<void> {
  await requireOwn(path, known);
  if (known.isFIFO()) return writeToPipe(path, known, text);
  const file = await open(path, constants.O_WRONLY);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

/** Throws if another user created it in a folder that is sticky or that everybody can write to: that user would receive the text. */
async function requireOwn(path: string, { uid }: Stats): Promise<void> {
  if (process.geteuid === undefined || uid === process.geteuid()) return;
  const { mode } = await stat(dirname(path));
  if ((mode & stickyOrOpen) !== 0)
    throw new Error('it is not a regular file, and another user created it in a folder that everybody can write to');
}

const stickyOrOpen = 0o1002;

/** Does not block: a missing or slow reader would hold a thread that no signal ends. */
async function writeToPipe(path: string, known: Stats, text: string): Promise<void> {
  const fd = openPipe(path);
  const opened = fstatSync(fd);
  if (opened.ino !== known.ino || opened.dev !== known.dev) {
    closeSync(fd);
    throw new Error('it was replaced in the meantime');
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
    throw codeOf(thrown) === 'ENXIO' ? new Error('no process reads this pipe', { cause: thrown }) : thrown;
  }
}

/** Throws a usage error if a file to be written, by its flag, is also read or written twice: one of them would be lost. */
export async function requireOtherFiles(
  written: Readonly<Record<string, string | undefined>>,
  read: readonly string[],
): Promise<void> {
  const taken = new Map<string, string>();
  for (const file of read) taken.set(await placeOf(file), `read: ${file}`);
  for (const [flag, file] of Object.entries(written)) {
    if (file === undefined) continue;
    const place = await placeOf(file);
    const other = taken.get(place);
    if (other !== undefined)
      throw new ChatLoadError('usage', {
        message: `--${flag} ${file} would replace a file that is ${other}.`,
        hint: 'Nothing was written. Name another file.',
      });
    taken.set(place, `written by --${flag}`);
  }
}

const placeOf = (file: string): Promise<string> => realpath(file).catch(() => resolve(file));

/** Appends Markdown to the summary of a GitHub step, if there is one. Returns a warning if that fails. */
export async function appendStepSummary(
  markdown: () => string | Promise<string>,
  path: string | undefined = process.env['GITHUB_STEP_SUMMARY'],
): Promise<string | undefined> {
  if (path === undefined || path === '') return undefined;
  try {
    await requireOwnLinks(path);
    // A pipe without a reader would block the command.
    const known = await stat(path).catch(() => undefined);
    if (known !== undefined && !known.isFile() && !known.isDirectory()) throw new Error('it is not a file');
    await appendFile(path, `${await markdown()}\n\n`);
    return undefined;
  } catch (thrown) {
    return `The step summary (GITHUB_STEP_SUMMARY) cannot be written: ${fileReason(thrown)}.`;
  }
}
