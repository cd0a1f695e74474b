import { closeSync, constants, fstatSync, openSync, rmSync, type Stats } from 'node:fs';
import { access, open, realpath, rename, rm, stat, appendFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import { makeFolder, requireOwnLinks } from './make-folder.ts';
import { codeOf, linkUnlessThere, numbered, syncFolder, temporaryFor, unwritable } from './unwritable.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';

const hint = 'Make the folder writable, or name another.';

/**
 * Makes a folder for files and sees that one can be written there, before anything is sent. The flag that names it is part
 * of the error.
 */
export async function prepareFolder(folder: string, flag = '--out'): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (thrown) {
    throw unwritable({ what: `to ${folder}`, hint: `Make the folder writable, or name another with ${flag}.` }, thrown);
  }
}

/** The same for a file: an existing one is one that `writeWhole` would write to, or with `isPlain` a file. */
export async function prepareFile(path: string, flag: string, { isPlain = false } = {}): Promise<void> {
  await prepareFolder(dirname(path), flag);
  try {
    await requireOwnLinks(path);
    const known = await stat(path).catch(() => undefined);
    if (known?.isDirectory() === true) throw new Error('it is a folder');
    if (isPlain && known?.isFile() === false) throw new Error('it is not a file');
    if (known !== undefined && !known.isFile()) await requireOwn(await realpath(path), known);
  } catch (thrown) {
    throw unwritable({ what: `to ${path}`, hint: `Name a file in a folder of your own with ${flag}.` }, thrown);
  }
}

/**
 * Writes a file completely or not at all, replacing an existing one: that which a link leads to, not the link. What is no
 * file, such as a pipe or a device, is written to as it is. A link, pipe or device of another user in a folder for everybody
 * is refused.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  await requireOwnLinks(path).catch((thrown: unknown) => {
    throw unwritable({ what: `to ${path}`, hint }, thrown);
  });
  const target = await realpath(path).catch(() => path);
  const known = await stat(target).catch(() => undefined);
  if (known === undefined || known.isFile() || known.isDirectory())
    return writeThrough(target, text, (temporary) => rename(temporary, target));
  await writeInto(target, text).catch((thrown: unknown) => {
    throw unwritable({ what: `to ${path}`, hint: 'Name a file in a folder of your own.' }, thrown);
  });
}

/** The same, but keeps an existing file: the name gets `-2`, `-3` and so on. Returns the path used. */
export async function writeUnderFreeName(path: string, text: string): Promise<string> {
  let taken = path;
  await writeThrough(path, text, async (temporary) => {
    for (let copy = 2; !(await linkUnlessThere(temporary, taken)); copy++) taken = numbered(path, copy);
    await rm(temporary, { force: true });
  });
  return taken;
}

/**
 * Writes a temporary file beside a path, syncs it, has it put there, and syncs the folder, which holds its name. The
 * temporary file goes too where the process exits meanwhile, as it does on a third signal.
 */
async function writeThrough(path: string, text: string, put: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = temporaryFor(path);
  const removeOnExit = (): void => rmSync(temporary, { force: true });
  process.on('exit', removeOnExit);
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
    // The first failure is the one to report.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritable({ what: `to ${path}`, hint }, thrown);
  } finally {
    process.off('exit', removeOnExit);
  }
}

/**
 * Writes to what exists and is no regular file, such as a pipe or a device, as it is. Throws if another user made it in a
 * folder that everybody can write to or that is sticky: whoever made it would get the text. Waits for no reader.
 */
async function writeInto(path: string, text: string): Promise<void> {
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
async function requireOwn(path: string, { uid }: Stats): Promise<void> {
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

/**
 * Throws a usage error where a file that is to be written, by its flag, is one of those that are read, or is written twice:
 * one of them would be lost.
 */
export async function requireOtherFiles(
  written: Readonly<Record<string, string | undefined>>,
  read: readonly string[],
): Promise<void> {
  const taken = new Map<string, string>(
    await Promise.all(read.map(async (file) => [await placeOf(file), `read: ${file}`] as const)),
  );
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

/** Appends Markdown to the summary of a step on GitHub, where there is one. Gives a warning where it cannot be written. */
export async function appendStepSummary(
  markdown: () => string | Promise<string>,
  path: string | undefined = process.env['GITHUB_STEP_SUMMARY'],
): Promise<string | undefined> {
  if (path === undefined || path === '') return undefined;
  try {
    await requireOwnLinks(path);
    // A pipe that nobody reads would hold the command.
    const known = await stat(path).catch(() => undefined);
    if (known !== undefined && !known.isFile() && !known.isDirectory()) throw new Error('it is not a file');
    await appendFile(path, `${await markdown()}\n\n`);
    return undefined;
  } catch (thrown) {
    return `The step summary (GITHUB_STEP_SUMMARY) cannot be written: ${fileReason(thrown)}.`;
  }
}
