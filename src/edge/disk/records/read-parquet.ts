import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import { messageOf } from '../../../base/errors.ts';
import type { FileRecord } from './record.ts';

/** A larger group of rows would take several times as much memory. */
const mostGroupBytes = 1024 ** 3;
/** Rows of a group are held together, and a few bytes may stand for millions of equal ones. */
const mostGroupRows = 5_000_000;

/**
 * The rows of a Parquet file, group by group, with those columns alone that are asked for. Snappy, gzip, Brotli, LZ4 and
 * Zstandard are decompressed. Throws an error that says what is wrong with the file.
 */
export async function* readParquet(path: string, isRead: (column: string) => boolean): AsyncGenerator<FileRecord[]> {
  // Loaded for those alone who read such files.
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  try {
    const file: AsyncBuffer = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
    const read = columns.filter(isRead);
    let start = 0;
    for (const group of groupsOf(metadata, new Set(read))) {
      const rowEnd = start + group.rows;
      // Without any column that is known, the names say why nothing can be read.
      const rows: readonly unknown[] =
        read.length === 0
          ? [Object.fromEntries(columns.map((name) => [name, null]))]
          : await parquetReadObjects({ file, metadata, columns: read, rowStart: start, rowEnd, compressors });
      const before = start;
      yield rows.map((value, index) => ({ place: before + index + 1, value }));
      if (read.length === 0) return;
      start = rowEnd;
    }
  } catch (thrown) {
    throw new Error(`it is not a Parquet file that can be read (${messageOf(thrown)})`, { cause: thrown });
  }
}

/** The row groups of a file. Throws for one that is too large. */
function groupsOf({ row_groups: groups }: FileMetaData, read: ReadonlySet<string>): { rows: number }[] {
  return groups.map(({ num_rows: rows, columns }, index) => {
    const bytes = columns
      .filter(({ meta_data: meta }) => read.has(meta?.path_in_schema[0] ?? ''))
      .reduce((sum, { meta_data: meta }) => sum + Number(meta?.total_uncompressed_size ?? 0), 0);
    if (bytes > mostGroupBytes)
      throw new Error(
        `row group ${String(index + 1)} has ${(bytes / 1e9).toFixed(1)} GB, and at most 1 GB are read at once: write it with smaller row groups`,
      );
    if (rows > mostGroupRows)
      throw new Error(
        `row group ${String(index + 1)} has ${String(rows)} rows, and at most ${String(mostGroupRows)} are read at once: write it with smaller row groups`,
      );
    return { rows: Number(rows) };
  });
}
