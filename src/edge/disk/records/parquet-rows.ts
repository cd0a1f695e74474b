import type { FileHandle } from 'node:fs/promises';
import {
  parquetMetadataAsync,
  parquetSchema,
  type AsyncBuffer,
  type ColumnMetaData,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { compressors as allCompressors, decompressZstd } from 'hyparquet-compressors';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { messageOf } from '../../../base/errors.ts';
import { openPlainHandle } from '../../open-file.ts';
import { tooLong } from './json-records.ts';
import { PageMemory, ParquetColumn } from './parquet-column.ts';
import { maxRecordBytes, type FileRecord } from './record.ts';

/** Number of rows that are returned at a time. */
const batchRows = 256;
/** The description of a file takes some kilobytes; in memory it may take sixty times as much. */
const maxFooterBytes = 8 * 1024 ** 2;
/** Maximum depth of lists and objects: no conversation is nested nearly as deep. */
const maxLevels = 32;

/** By default, Zstandard allocates as much memory as its frames request. */
const compressors = {
  ...allCompressors,
  ZSTD: (input: Uint8Array, length: number) => decompressZstd(input, new Uint8Array(length)),
};

/**
 * Yields the rows of a Parquet file with the selected columns. Decodes page by page, as rows are needed, because a few
 * bytes may represent millions of equal rows. Decompresses Snappy, gzip, Brotli, LZ4 and Zstandard. Throws an error
 * that describes the problem of the file.
 */
export async function* readRows(path: string, isRead: (column: string) => boolean): AsyncGenerator<FileRecord[]> {
  const handle = await openPlainHandle(path);
  try {
    yield* rowsOf(await bufferOf(handle), isRead);
  } catch (thrown) {
    throw new Error(`it is not a Parquet file that can be read (${messageOf(thrown)})`, { cause: thrown });
  } finally {
    await handle.close();
  }
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  const slice = async (start: number, end = size): Promise<ArrayBuffer> => {
    if (!(start >= 0 && start <= end && end <= size)) throw new Error('a part of it is missing');
    const bytes = new Uint8Array(end - start);
    await handle.read(bytes, 0, bytes.length, start);
    return bytes.buffer;
  };
  return { byteLength: size, slice };
}

async function* rowsOf(file: AsyncBuffer, isRead: (column: string) => boolean): AsyncGenerator<FileRecord[]> {
  await requireFooter(file);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const tree = parquetSchema(metadata);
  const read = tree.children.filter(({ element }) => isRead(element.name));
  if (read.length === 0) {
    // Without a known column, a record of all names lets the error list them.
    const names = tree.children.map(({ element }) => [element.name, null] as const);
    if (metadata.row_groups.length > 0) yield [{ place: 1, value: Object.fromEntries(names) }];
    return;
  }
  for (const column of read) requireShallow(column, maxLevels);
  let rows = 0;
  for (const [index, group] of metadata.row_groups.entries()) {
    try {
      for await (const values of readGroup(group, { file, tree, read })) {
        const before = rows;
        rows += values.length;
        yield values.map((value, at) => recordOf(value, before + at + 1));
      }
    } catch (thrown) {
      throw new Error(`row group ${String(index + 1)}: ${messageOf(thrown)}`, { cause: thrown });
    }
  }
}

/** The length of the footer is in the last bytes of the file. */
async function requireFooter(file: AsyncBuffer): Promise<void> {
  if (file.byteLength < 12) throw new Error('it is too short');
  const length = new DataView(await file.slice(file.byteLength - 8, file.byteLength)).getUint32(0, true);
  if (length > maxFooterBytes)
    throw new Error(
      `its footer has ${(length / 1024 ** 2).toFixed(0)} MB, and at most 8 MB are read: write it with larger row groups`,
    );
}

function requireShallow({ element, children, path }: SchemaTree, levels: number): void {
  if (levels === 0) throw new Error(`column ${path[0] ?? ''} is nested more than ${String(maxLevels)} levels deep`);
  if (element.logical_type?.type === 'VARIANT')
    throw new Error(`column ${path[0] ?? ''} contains variants, which are not supported: write it as JSON`);
  for (const child of children) requireShallow(child, levels - 1);
}

interface Reading {
  file: AsyncBuffer;
  tree: SchemaTree;
  read: readonly SchemaTree[];
}

type Columns = Map<string, ParquetColumn>;

async function* readGroup(group: RowGroup, { file, tree, read }: Reading): AsyncGenerator<object[]> {
  const memory = new PageMemory();
  const names = new Set(read.map(({ element }) => element.name));
  const columns: Columns = new Map();
  for (const { meta_data: meta, file_path: elsewhere } of group.columns) {
    if (meta === undefined || !names.has(meta.path_in_schema[0] ?? '')) continue;
    if (elsewhere !== undefined) throw new Error('its columns are in other files');
    columns.set(meta.path_in_schema.join('.'), openColumn(file, tree, meta, memory));
  }
  const all = [...columns.values()];
  for (let left = Number(group.num_rows); left > 0;) {
    for (const column of all) await column.fill();
    const count = Math.min(batchRows, left, ...all.map(({ ready }) => ready));
    if (count <= 0) throw new Error(`${String(left)} of its ${String(group.num_rows)} rows are missing`);
    left -= count;
    const named = read.map((column) => [column.element.name, valuesOf(column, columns, count)] as const);
    yield Array.from({ length: count }, (_, at) =>
      Object.fromEntries(named.map(([name, values]) => [name, values[at]])),
    );
  }
}

function openColumn(file: AsyncBuffer, tree: SchemaTree, meta: ColumnMetaData, memory: PageMemory): ParquetColumn {
  const { path_in_schema: pathInSchema, type, codec } = meta;
  const schemaPath = getTreePath(tree, pathInSchema);
  const element = schemaPath.at(-1)?.element ?? tree.element;
  const decoder = { pathInSchema, type, element, schemaPath, codec, parsers: DEFAULT_PARSERS };
  const start = Number(meta.dictionary_page_offset ?? 0n) || Number(meta.data_page_offset);
  const end = start + Number(meta.total_compressed_size);
  return new ParquetColumn({ file, decoder, compressors, memory, start, end });
}

function valuesOf(column: SchemaTree, columns: Columns, count: number): ArrayLike<unknown> {
  const { name } = column.element;
  if (column.children.length === 0) return columns.get(name)?.take(count) ?? [];
  const parts = [...columns].filter(([path]) => path.startsWith(`${name}.`));
  const values = new Map(parts.map(([path, part]) => [path, part.take(count)]));
  assembleNested(values, column, DEFAULT_PARSERS);
  return values.get(name) ?? [];
}

function recordOf(value: object, place: number): FileRecord {
  const bytes = textLength(value);
  return bytes > maxRecordBytes ? tooLong(place, bytes) : { place, value };
}

/** Returns the approximate length of the texts in a value: rows may share a long one. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 8;
  let sum = 0;
  for (const each of Object.values(value)) sum += textLength(each);
  return sum;
}
