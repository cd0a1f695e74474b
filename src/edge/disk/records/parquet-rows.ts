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
import { PageRoom, ParquetColumn } from './parquet-column.ts';
import { tooLong } from './json-records.ts';
import { maxRecordBytes, type FileRecord } from './record.ts';

/** Rows are given in pieces. */
const pieceRows = 256;
/** The description of a file takes some kilobytes; in memory it may take sixty times as much. */
const maxFooterBytes = 8 * 1024 ** 2;
/** Lists and objects within each other: no conversation is nested nearly as deep. */
const maxLevels = 32;

/** By itself it takes as much memory as its frames ask for. */
const compressors = {
  ...allCompressors,
  ZSTD: (input: Uint8Array, length: number) => decompressZstd(input, new Uint8Array(length)),
};

export async function* readRows(file: AsyncBuffer, isRead: (column: string) => boolean): AsyncGenerator<FileRecord[]> {
  await requireFooter(file);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const tree = parquetSchema(metadata);
  const read = tree.children.filter(({ element }) => isRead(element.name));
  if (read.length === 0) {
    // Without any column that is known, the names say why nothing can be read.
    const names = tree.children.map(({ element }) => [element.name, null] as const);
    if (metadata.row_groups.length > 0) yield [{ place: 1, value: Object.fromEntries(names) }];
    return;
  }
  read.forEach((column) => {
    requireShallow(column, maxLevels);
  });
  let rows = 0;
  for (const [index, group] of metadata.row_groups.entries()) {
    try {
      for await (const values of readGroup(group, { file, tree, read })) {
        const before = rows;
        rows += values.length;
        yield values.map((value, at) => recordOf(value, before + at + 1));
      }
    } catch (thrown) {
      throw new Error(`row group ${String(index + 1)}: ${thrown instanceof Error ? thrown.message : ''}`, {
        cause: thrown,
      });
    }
  }
}

/** Its length is in the last bytes of the file. */
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
    throw new Error(`column ${path[0] ?? ''} holds variants, which are not read: write it as JSON`);
  for (const child of children) requireShallow(child, levels - 1);
}

interface Reading {
  file: AsyncBuffer;
  tree: SchemaTree;
  read: readonly SchemaTree[];
}

type Columns = Map<string, ParquetColumn>;

async function* readGroup(group: RowGroup, { file, tree, read }: Reading): AsyncGenerator<object[]> {
  const room = new PageRoom();
  const names = new Set(read.map(({ element }) => element.name));
  const columns: Columns = new Map();
  for (const { meta_data: meta, file_path: elsewhere } of group.columns) {
    if (meta === undefined || !names.has(meta.path_in_schema[0] ?? '')) continue;
    if (elsewhere !== undefined) throw new Error('its columns are in other files');
    columns.set(meta.path_in_schema.join('.'), openColumn(meta, { file, tree, room }));
  }
  const all = [...columns.values()];
  for (let left = Number(group.num_rows); left > 0;) {
    for (const column of all) await column.fill();
    const count = Math.min(pieceRows, left, ...all.map(({ ready }) => ready));
    if (count <= 0) throw new Error(`${String(left)} of its ${String(group.num_rows)} rows are missing`);
    left -= count;
    yield assemble(read, columns, count);
  }
}

function openColumn(
  meta: ColumnMetaData,
  { file, tree, room }: { file: AsyncBuffer; tree: SchemaTree; room: PageRoom },
): ParquetColumn {
  const schemaPath = getTreePath(tree, meta.path_in_schema);
  const element = schemaPath.at(-1)?.element ?? tree.element;
  const { path_in_schema: pathInSchema, type, codec } = meta;
  const decoder = { pathInSchema, type, element, schemaPath, codec, parsers: DEFAULT_PARSERS };
  const start = Number(meta.dictionary_page_offset ?? 0n) || Number(meta.data_page_offset);
  return new ParquetColumn({
    file,
    decoder,
    compressors,
    room,
    start,
    end: start + Number(meta.total_compressed_size),
  });
}

function assemble(read: readonly SchemaTree[], columns: Columns, count: number): object[] {
  const named = read.map((column) => [column.element.name, valuesOf(column, columns, count)] as const);
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(named.map(([name, values]) => [name, values[at]])),
  );
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
  const bytes = textOf(value);
  return bytes > maxRecordBytes ? tooLong(place, bytes) : { place, value };
}

/** The length of the texts in a value, roughly: rows may share one that is long. */
function textOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 8;
  let sum = 0;
  for (const each of Object.values(value)) sum += textOf(each);
  return sum;
}
