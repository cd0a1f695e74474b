import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { isObject } from '../../../base/is-object.ts';
import type { OpenedTrace, TraceReading } from '../../../trace/trace.ts';
import { foreignBytes } from '../records/container-of.ts';
import { openPlainHandle } from '../../open-file.ts';
import { readHeadOf } from '../read-ends.ts';
import { type IndexPlace, openIndexed } from '../record-index/open-indexed.ts';
import type { IndexWriter } from '../record-index/record-index.ts';
import { IndexedTrace } from './indexed-trace.ts';
import { readRows, traceError } from './read-rows.ts';
import { recordBytes, TraceWriter, type IndexHeader } from './write-index.ts';

/**
 * Opens a trace: the first time it is read from its start to its end, and an index of it is kept beside it, or in the
 * cache folder where that cannot be written. Throws a usage error for a file that is no trace, that is not sorted, or
 * of which more than 1 % of the lines cannot be read.
 */
export async function openTrace(file: string, reading: TraceReading = {}, folder = '.'): Promise<OpenedTrace> {
  const path = resolve(folder, file);
  const handle = await openFile(path, file);
  try {
    const key = await keyOf(handle, reading);
    const index = await openIndexed<IndexHeader>(path, {
      suffix: 'chat-load-trace',
      recordBytes,
      prepare: () => {
        prepare(file, handle);
      },
      read: (header) => (isObject(header) && header['key'] === key ? (header as unknown as IndexHeader) : undefined),
      write: (writer, place) => write({ file, handle, reading, key }, writer, place),
      errorOf: (thrown) =>
        isOfSystem(thrown) && !(thrown instanceof ChatLoadError) ? unwritable(file, thrown) : thrown,
    });
    return new IndexedTrace(file, index);
  } finally {
    await handle.close();
  }
}

async function openFile(path: string, file: string): Promise<FileHandle> {
  try {
    return await openPlainHandle(path);
  } catch (thrown) {
    throw traceError(file, { problem: fileReason(thrown), remedy: pathRemedy }, thrown);
  }
}

const pathRemedy = 'Give the path of a trace; in a scenario it is relative to the scenario file.';

/** What an index is made from: another file, or another way to read it, has another. */
async function keyOf(handle: FileHandle, reading: TraceReading): Promise<string> {
  const { size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
  return JSON.stringify([
    String(size),
    String(mtimeNs),
    String(ctimeNs),
    reading.sort === true,
    reading.columns ?? null,
  ]);
}

interface Reading {
  file: string;
  handle: FileHandle;
  reading: TraceReading;
  key: string;
}

function prepare(file: string, handle: FileHandle): void {
  const foreign = foreignBytes(file, readHeadOf(handle.fd));
  if (foreign !== undefined) throw traceError(file, foreign);
}

async function write(
  { file, handle, reading, key }: Reading,
  index: IndexWriter,
  { path }: IndexPlace,
): Promise<IndexHeader> {
  const writer = new TraceWriter(index, path);
  try {
    const digest = createHash('sha256');
    const facts = await readRows({
      file,
      descriptor: handle.fd,
      reading,
      seen: (block) => digest.update(block),
      take: (row) => {
        writer.add(row);
      },
    });
    const sums = writeSessions(writer, file);
    if ((await keyOf(handle, reading)) !== key)
      throw traceError(file, { problem: 'it changed while it was read', remedy: 'Use a trace that is complete.' });
    return { ...sums, key, digest: digest.digest('hex'), facts };
  } finally {
    writer.dispose();
  }
}

function writeSessions(writer: TraceWriter, file: string): ReturnType<TraceWriter['writeSessions']> {
  try {
    return writer.writeSessions();
  } catch (thrown) {
    if (!(thrown instanceof Error) || isOfSystem(thrown)) throw thrown;
    throw traceError(file, { problem: thrown.message, remedy: 'Fix the trace, or name other columns.' }, thrown);
  }
}

const isOfSystem = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown;

const unwritable = (file: string, thrown: unknown): ChatLoadError =>
  new ChatLoadError('environment', {
    message: `The index of the trace ${file} cannot be written: ${fileReason(thrown)}.`,
    hint: 'Make room, or name a folder with room in CHAT_LOAD_CACHE; it takes about 50 bytes a request.',
    cause: thrown,
  });
