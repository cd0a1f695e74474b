import { createHash } from 'node:crypto';
import { closeSync, fstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileReason } from '../../../base/file-reason.ts';
import { isObject } from '../../../base/is-object.ts';
import type { OpenedTrace, TraceReading } from '../../../trace/trace.ts';
import { openPlain } from '../../open-file.ts';
import { readHeadOf } from '../read-ends.ts';
import { openIndexed } from '../record-index.ts';
import { foreignBytes } from '../records/container-of.ts';
import { codeOf } from '../unwritable.ts';
import { readRows, traceError } from './read-rows.ts';
import { indexedTrace, recordBytes, TraceWriter, type IndexHeader } from './trace-index.ts';

/**
 * Opens a trace. The first opening reads the whole file and writes an index, next to the file or to the cache. Throws a
 * usage error for a file that is not a trace, is not sorted, or of which more than 1 % of the lines are malformed.
 */
export async function openTrace(file: string, reading: TraceReading = {}, folder = '.'): Promise<OpenedTrace> {
  const path = resolve(folder, file);
  const opened = openToRead(path, file);
  try {
    const key = keyOf(opened, reading);
    const index = await openIndexed<IndexHeader>(path, {
      suffix: 'chat-load-trace',
      recordBytes,
      size: '50 bytes per request',
      read: (header) => (isObject(header) && header['key'] === key ? (header as unknown as IndexHeader) : undefined),
      write: (out, prefix) => writeIndex({ file, opened, reading, key }, new TraceWriter(out, prefix)),
    });
    return indexedTrace(file, index);
  } finally {
    closeSync(opened);
  }
}

function openToRead(path: string, file: string): number {
  try {
    return openPlain(path);
  } catch (thrown) {
    const remedy = 'Name the path of a trace file; in a scenario it is relative to the scenario file.';
    throw traceError(file, { problem: fileReason(thrown), remedy }, thrown);
  }
}

/** Version of the rules by which traces are read. */
const version = 2;

/** Identifies a file and its reading options. */
function keyOf(opened: number, { sort, columns }: TraceReading): string {
  const { size, mtimeNs, ctimeNs } = fstatSync(opened, { bigint: true });
  return JSON.stringify([version, String(size), String(mtimeNs), String(ctimeNs), sort === true, columns ?? null]);
}

interface Reading {
  file: string;
  opened: number;
  reading: TraceReading;
  key: string;
}

async function writeIndex({ file, opened, reading, key }: Reading, writer: TraceWriter): Promise<IndexHeader> {
  try {
    const foreign = foreignBytes(file, readHeadOf(opened));
    if (foreign !== undefined) throw traceError(file, foreign);
    const digest = createHash('sha256');
    const read = await readRows({
      file,
      opened,
      options: reading,
      seen: (block) => digest.update(block),
      take: (row) => writer.add(row),
    });
    const { inputs, ...sums } = writeSessions(writer, file);
    if (keyOf(opened, reading) !== key)
      throw traceError(file, { problem: 'it changed while it was read', remedy: 'Use a complete trace.' });
    return { ...sums, key, digest: digest.digest('hex'), facts: { ...read, inputs } };
  } finally {
    writer.dispose();
  }
}

function writeSessions(writer: TraceWriter, file: string): ReturnType<TraceWriter['writeSessions']> {
  try {
    return writer.writeSessions();
  } catch (thrown) {
    if (!(thrown instanceof Error) || codeOf(thrown) !== undefined) throw thrown;
    throw traceError(file, { problem: thrown.message, remedy: 'Fix the trace, or name other columns.' }, thrown);
  }
}
