import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type ReadStream,
  type Stats,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Larger than any document of chat-load: a night's result has a few megabytes. */
const maxMegabytes = 64;

/** Without waiting: a named pipe could hold the process for ever. */
const toRead = constants.O_RDONLY | constants.O_NONBLOCK;

/** Opens a file to read. Throws the error of the system, and for anything but plain files: a device never ends. */
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

/** Opens a plain file until the promise of `use` settles. Throws as `openPlain` does. */
export function withPlain<Given>(path: string, use: (file: number) => Given): Given {
  const file = openPlain(path);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** Reads at most `size` bytes of an open file from a position; fewer at its end. */
export function bytesAt(file: number, from: number, max: number): Buffer {
  const room = Buffer.allocUnsafe(max);
  return room.subarray(0, readSync(file, room, 0, max, from));
}

/** Yields the first `size` bytes of an open file in blocks; each is valid until the next one. */
export function* piecesOf(file: number, size: number): Generator<Buffer, void> {
  const piece = Buffer.allocUnsafe(Math.min(size, 1024 * 1024));
  for (let at = 0; at < size;) {
    const read = readSync(file, piece, 0, Math.min(piece.length, size - at), at);
    if (read === 0) return;
    at += read;
    yield piece.subarray(0, read);
  }
}

/** Opens a plain file as `openPlain` does. */
async function openPlainHandle(path: string): Promise<FileHandle> {
  const file = await open(path, toRead);
  try {
    requirePlain(await file.stat());
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** Streams a plain file, or the pipe that a shell passes (`/dev/fd/63`). Throws as `openPlain` does. */
export function openStream(path: string, options: { highWaterMark?: number; start?: number } = {}): ReadStream {
  return createReadStream(path, isHandedOver(path) ? options : { ...options, fd: openPlain(path) });
}

/** Returns the bytes of a plain file of at most 64 MB. Throws as `openPlain` does. */
export function readBytesSync(path: string): Buffer {
  return withPlain(path, (file) => {
    requireReadable(fstatSync(file));
    return readFileSync(file);
  });
}

/** Returns the text of a plain file of at most 64 MB, without a byte order mark. Throws as `openPlain` does. */
export function readTextSync(path: string): string {
  return withoutMark(readBytesSync(path).toString('utf8'));
}

/** Requires a plain file of at most 64 MB, for code of others that reads it. Throws as `openPlain` does. */
export function requireReadableFile(path: string): void {
  if (isHandedOver(path)) return;
  withPlain(path, (file) => requireReadable(fstatSync(file)));
}

/**
 * Resolves with the text of a plain file, or of a pipe that a shell passes, of at most 64 MB, without a byte order mark.
 * Rejects as `openPlain` throws.
 */
export async function readTextOf(path: string): Promise<string> {
  if (isHandedOver(path)) return readPipe(path);
  const file = await openPlainHandle(path);
  try {
    requireReadable(await file.stat());
    return withoutMark(await file.readFile('utf8'));
  } finally {
    await file.close();
  }
}

async function readPipe(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxMegabytes * 1024 ** 2) throw new Error(`it has more than ${String(maxMegabytes)} MB`);
    chunks.push(chunk);
  }
  return withoutMark(Buffer.concat(chunks).toString('utf8'));
}

/** Editors on Windows put a byte order mark before the text. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');

const isHandedOver = (path: string): boolean => handedOver.test(path);

const handedOver = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/;

function requirePlain(stat: Stats): void {
  if (!stat.isFile()) throw new Error(stat.isDirectory() ? 'it is a folder' : 'it is not a file');
}

function requireReadable({ size }: Stats): void {
  const megabytes = size / 1024 ** 2;
  if (megabytes > maxMegabytes)
    throw new Error(`it has ${megabytes.toFixed(0)} MB, and at most ${String(maxMegabytes)} MB are read`);
}
