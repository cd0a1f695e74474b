import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';

/** More than any document of ours takes: a night's result has a few megabytes. */
const mostMegabytes = 64;

/** Without waiting: a named pipe could hold the process for ever. */
const toRead = constants.O_RDONLY | constants.O_NONBLOCK;

/** Opens a file to read. Throws what the system says, and where it is no plain file: a device never ends. */
export function openPlain(path: string): number {
  const file = openSync(path, toRead);
  try {
    requirePlain(fstatSync(file));
    return file;
  } catch (thrown) {
    closeSync(file);
    throw thrown;
  }
}

/** The same with a promise. */
export async function openPlainHandle(path: string): Promise<FileHandle> {
  const file = await open(path, toRead);
  try {
    requirePlain(await file.stat());
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** The text of a plain file of at most 64 MB. Throws as `openPlain` does. */
export function readTextSync(path: string): string {
  const file = openPlain(path);
  try {
    requireReadable(fstatSync(file));
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** The same with a promise; what a shell hands over (`/dev/fd/63`) is read as it comes. */
export async function readTextOf(path: string): Promise<string> {
  if (handedOver.test(path)) return readFile(path, 'utf8');
  const file = await openPlainHandle(path);
  try {
    requireReadable(await file.stat());
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const handedOver = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/;

function requirePlain(stat: Stats): void {
  if (!stat.isFile()) throw new Error(stat.isDirectory() ? 'it is a folder' : 'it is not a file');
}

function requireReadable({ size }: Stats): void {
  const megabytes = size / 1024 ** 2;
  if (megabytes > mostMegabytes)
    throw new Error(`it has ${megabytes.toFixed(0)} MB, and at most ${String(mostMegabytes)} MB are read`);
}
