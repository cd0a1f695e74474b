import type { AsyncBuffer } from 'hyparquet';
import type { FileHandle } from 'node:fs/promises';
import { messageOf } from '../../../base/errors.ts';
import { openPlainHandle } from '../../open-file.ts';
import type { FileRecord } from './record.ts';

/**
 * The rows of a Parquet file, with only those columns that are asked for. Pages are decoded one by one, as their rows are
 * needed: a few bytes may stand for millions of equal rows. Snappy, gzip, Brotli, LZ4 and Zstandard are decompressed.
 * Throws an error that says what is wrong with the file.
 */
export async function* readParquet(path: string, isRead: (column: string) => boolean): AsyncGenerator<FileRecord[]> {
  const handle = await openPlainHandle(path);
  try {
    // Loaded for those alone who read such files.
    const { readRows } = await import('./parquet-rows.ts');
    yield* readRows(await asBuffer(handle), isRead);
  } catch (thrown) {
    throw new Error(`it is not a Parquet file that can be read (${messageOf(thrown)})`, { cause: thrown });
  } finally {
    await handle.close();
  }
}

async function asBuffer(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  const slice = async (start: number, end = size): Promise<ArrayBuffer> => {
    if (!(start >= 0 && start <= end && end <= size)) throw new Error('a part of it is missing');
    const bytes = new Uint8Array(end - start);
    await handle.read(bytes, 0, bytes.length, start);
    return bytes.buffer;
  };
  return { byteLength: size, slice };
}
