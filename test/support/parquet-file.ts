/** A field of a Thrift struct: its number, and a value that knows its type. */
type Thrift = { int: number } | { long: number } | { bytes: Buffer } | { list: Thrift[] } | { struct: Fields };
type Fields = Readonly<Record<number, Thrift | undefined>>;

const int = (value: number): Thrift => ({ int: value });
const long = (value: number): Thrift => ({ long: value });
const text = (value: string): Thrift => ({ bytes: Buffer.from(value) });
const list = (...values: Thrift[]): Thrift => ({ list: values });
const struct = (fields: Fields): Thrift => ({ struct: fields });

export const codecs = { none: 0, snappy: 1, gzip: 2, zstd: 6 } as const;
export const encodings = { plain: 0, deltaByteArray: 7, dictionary: 8 } as const;

export interface Page {
  kind: 'dictionary' | 'data';
  values: number;
  bytes: Buffer;
  encoding?: number;
  /** Size before compression, and the compressed size in the header. */
  size?: number;
  packedSize?: number;
}

export interface Column {
  name: string;
  /** In a list: `name.list.element`, both optional. */
  isList?: boolean;
  codec?: number;
  pages: readonly Page[];
}

/** Makes a Parquet file with one row group of optional text columns, whose pages may declare anything. */
export function parquetFile(columns: readonly Column[], rows: number, more: { footer?: Buffer } = {}): Buffer {
  const parts: Buffer[] = [Buffer.from('PAR1')];
  let offset = 4;
  const chunks = columns.map(({ name, isList = false, codec = codecs.none, pages }) => {
    const start = offset;
    for (const page of pages) {
      const bytes = Buffer.concat([pageHeader(page), page.bytes]);
      parts.push(bytes);
      offset += bytes.length;
    }
    const path = [name, ...(isList ? ['list', 'element'] : [])].map(text);
    const values = pages.reduce((sum, page) => sum + (page.kind === 'data' ? page.values : 0), 0);
    return struct({
      2: long(start),
      3: struct({
        1: int(6),
        2: list(int(encodings.dictionary)),
        3: list(...path),
        4: int(codec),
        5: long(values),
        6: long(offset - start),
        7: long(offset - start),
        9: long(start),
        ...(pages[0]?.kind === 'dictionary' ? { 11: long(start) } : {}),
      }),
    });
  });
  const schema = [struct({ 4: text('root'), 5: int(columns.length) }), ...columns.flatMap(elements)];
  const group = struct({ 1: list(...chunks), 2: long(offset), 3: long(rows) });
  const footer = more.footer ?? encode(struct({ 1: int(1), 2: list(...schema), 3: long(rows), 4: list(group) }));
  const end = Buffer.alloc(4);
  end.writeUInt32LE(footer.length);
  return Buffer.concat([...parts, footer, end, Buffer.from('PAR1')]);
}

const optional = { 3: int(1) };
function elements({ name, isList = false }: Column): Thrift[] {
  const leaf = (leafName: string) => struct({ 1: int(6), ...optional, 4: text(leafName), 6: int(0) });
  if (!isList) return [leaf(name)];
  const outer = struct({ ...optional, 4: text(name), 5: int(1), 6: int(3) });
  return [outer, struct({ 3: int(2), 4: text('list'), 5: int(1) }), leaf('element')];
}

function pageHeader({ kind, values, bytes, encoding = encodings.plain, size, packedSize }: Page): Buffer {
  const sizes = { 2: int(size ?? bytes.length), 3: int(packedSize ?? bytes.length) };
  if (kind === 'dictionary')
    return encode(struct({ 1: int(2), ...sizes, 7: struct({ 1: int(values), 2: int(encoding) }) }));
  const header = struct({ 1: int(values), 2: int(encoding), 3: int(3), 4: int(3) });
  return encode(struct({ 1: int(0), ...sizes, 5: header }));
}

/** Encodes a run of equal values, for levels and dictionary indices. */
export function run(count: number, value: number): Buffer {
  return Buffer.concat([varint(BigInt(count) * 2n), Buffer.from([value])]);
}

/** Equal levels; their length is before them. */
export function levels(count: number, value: number): Buffer {
  return levelsOf(run(count, value));
}

export function levelsOf(...runs: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(runs);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Texts as the encoding `plain` has them. */
export function plainTexts(...texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((each) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Buffer.byteLength(each));
      return [length, Buffer.from(each)];
    }),
  );
}

/** `values` times the only text of a dictionary, in some bytes. */
export function equalPage(values: number): Page {
  return {
    kind: 'data',
    values,
    bytes: Buffer.concat([levels(values, 1), Buffer.from([1]), run(values, 0)]),
    encoding: encodings.dictionary,
  };
}

export function dictionaryOf(...texts: readonly string[]): Page {
  return {
    kind: 'dictionary',
    values: texts.length,
    bytes: plainTexts(...texts),
  };
}

export function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left /= 128n) {
    bytes.push(Number(left % 128n) + (left >= 128n ? 128 : 0));
    if (left < 128n) return Buffer.from(bytes);
  }
}

const zigzag = (value: number): Buffer => varint(value < 0 ? BigInt(-value) * 2n - 1n : BigInt(value) * 2n);

/** Thrift's compact protocol. */
function encode(value: Thrift): Buffer {
  if ('int' in value) return zigzag(value.int);
  if ('long' in value) return zigzag(value.long);
  if ('bytes' in value) return Buffer.concat([varint(BigInt(value.bytes.length)), value.bytes]);
  if ('list' in value) {
    const [first] = value.list;
    const head = Buffer.concat([Buffer.from([0xf0 + typeOf(first)]), varint(BigInt(value.list.length))]);
    return Buffer.concat([head, ...value.list.map(encode)]);
  }
  let before = 0;
  const fields = Object.entries(value.struct).flatMap(([id, field]) => {
    if (field === undefined) return [];
    const head = Buffer.from([(Number(id) - before) * 16 + typeOf(field)]);
    before = Number(id);
    return [head, encode(field)];
  });
  return Buffer.concat([...fields, Buffer.from([0])]);
}

function typeOf(value: Thrift | undefined): number {
  if (value === undefined || 'struct' in value) return 12;
  if ('int' in value) return 5;
  if ('long' in value) return 6;
  return 'bytes' in value ? 8 : 9;
}
