import type { Compressors, DataReader, PageHeader } from 'hyparquet';
import type { readPage } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { readVarInt } from 'hyparquet/src/thrift.js';

export type Decoder = Parameters<typeof readPage>[2];

/** A page that is decompressed and checked, ready to be decoded. */
interface OpenPage {
  header: PageHeader;
  bytes: Uint8Array;
  /** Approximate memory that it takes once it is decoded. */
  weight: number;
}

/** Memory of a decoded value: in an array, for each level of lists that it may open, and as its own bytes. */
const weights = { value: 48, list: 350, bytes: 150 } as const;

/** Returns the memory that a page declares to take, before it is decompressed. */
export function declaredWeight(header: PageHeader, decoder: Decoder): number {
  const { values, encoding } = contentOf(header);
  const size = header.uncompressed_page_size;
  if (!(size >= 0 && values >= 0 && header.compressed_page_size >= 0)) throw new Error('a page has a negative size');
  const isBytes = /BYTE_ARRAY/.test(decoder.type) && !/DICTIONARY$/.test(encoding);
  const each = weights.value + weights.list * getMaxRepetitionLevel(decoder.schemaPath) + (isBytes ? weights.bytes : 0);
  return 2 * size + values * each;
}

function contentOf(header: PageHeader): { values: number; encoding: string } {
  const content = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
  const isDictionary = header.type === 'DICTIONARY_PAGE';
  return { values: content?.num_values ?? 0, encoding: isDictionary ? 'PLAIN' : (content?.encoding ?? '') };
}

/** Decompresses a page. Throws if it would make the decoder write more than its header declares. */
export function openPage(
  packed: Uint8Array,
  { header, decoder, compressors }: { header: PageHeader; decoder: Decoder; compressors: Compressors },
): OpenPage {
  const { data_page_header_v2: second, ...first } = header;
  const levels = second === undefined ? 0 : levelBytes(second, packed.length);
  const rest = packed.subarray(levels);
  const plain =
    second?.is_compressed === false
      ? rest
      : decompressPage(rest, header.uncompressed_page_size - levels, decoder.codec, compressors);
  const bytes = levels === 0 ? plain : Buffer.concat([packed.subarray(0, levels), plain]);
  const asPlain = {
    ...first,
    compressed_page_size: bytes.length,
    uncompressed_page_size: bytes.length,
    ...(second !== undefined && { data_page_header_v2: { ...second, is_compressed: false } }),
  };
  return { header: asPlain, bytes, weight: 2 * requireSafe(asPlain, bytes, decoder) };
}

/** In a page of version 2 the levels precede the compressed part. */
function levelBytes(second: NonNullable<PageHeader['data_page_header_v2']>, length: number): number {
  const { repetition_levels_byte_length: repetition, definition_levels_byte_length: definition } = second;
  const { num_nulls: nulls, num_values: values } = second;
  if (!(repetition >= 0 && definition >= 0 && repetition + definition <= length)) throw new Error('a page is cut off');
  if (!(nulls >= 0 && nulls <= values)) throw new Error('a page has more nulls than values');
  return repetition + definition;
}

/** Throws if a page does not contain what it declares; returns the bytes of values that share their beginnings. */
function requireSafe(header: PageHeader, bytes: Uint8Array, { schemaPath, type }: Decoder): number {
  if (header.type === 'DICTIONARY_PAGE') return 0;
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  const { values, encoding } = contentOf(header);
  const second = header.data_page_header_v2;
  const maxDefinition = getMaxDefinitionLevel(schemaPath);
  skipLevels(reader, values, getMaxRepetitionLevel(schemaPath), second?.repetition_levels_byte_length);
  const definitions = { ...reader };
  skipLevels(reader, values, maxDefinition, second?.definition_levels_byte_length);
  const isDictionary = encoding.endsWith('_DICTIONARY');
  if (encoding === 'DELTA_BYTE_ARRAY') {
    if (second !== undefined) return sharedBytes(reader, values - second.num_nulls);
    return sharedBytes(reader, maxDefinition === 0 ? values : countPresent(definitions, values, maxDefinition));
  }
  if (encoding === 'RLE' || (isDictionary && type === 'BOOLEAN')) {
    reader.offset += 4;
    requireRuns(reader, values, 1);
  } else if (isDictionary && reader.offset < bytes.length)
    requireRuns(reader, values, reader.view.getUint8(reader.offset++));
  return 0;
}

/** Returns the number of bits of a level. */
const widthOf = (maxLevel: number): number => 32 - Math.clz32(maxLevel);

/** Checks and skips a section of levels. `bytes`: its length in a page of version 2; in version 1 it precedes the levels. */
function skipLevels(reader: DataReader, values: number, maxLevel: number, bytes: number | undefined): void {
  let length = bytes ?? 0;
  if (maxLevel > 0) {
    if (bytes === undefined) {
      length = reader.view.getUint32(reader.offset, true);
      reader.offset += 4;
    }
    requireRuns({ ...reader }, values, widthOf(maxLevel));
  }
  reader.offset += length;
}

/** Returns the number of values that are not null. */
function countPresent(reader: DataReader, values: number, maxLevel: number): number {
  const levels = new Array<number>(values);
  readRleBitPackedHybrid(reader, widthOf(maxLevel), levels);
  return levels.filter((each) => each === maxLevel).length;
}

/** In this encoding a value may repeat the beginning of the previous value, which may be long. */
function sharedBytes(reader: DataReader, values: number): number {
  const [prefixes, suffixes] = [new Int32Array(values), new Int32Array(values)];
  deltaBinaryUnpack(reader, values, prefixes);
  deltaBinaryUnpack(reader, values, suffixes);
  return prefixes.reduce((sum, prefix, at) => sum + Math.max(0, prefix) + Math.max(0, suffixes[at] ?? 0), 0);
}

/** Runs at the end of a section may be padded by a few values. */
const maxPadding = 1024;

/**
 * Throws if a run of a section declares more values than the section has. The decoder trusts the length of a run: five bytes
 * would make it write billions of values. `width`: bits of a value.
 */
function requireRuns(reader: DataReader, values: number, width: number): void {
  if (width > 32) throw new Error(`values have ${String(width)} bits`);
  for (let seen = 0; seen < values && reader.offset < reader.view.byteLength;) {
    const header = readVarInt(reader);
    const isPacked = (header & 1) === 1;
    const run = isPacked ? (header >>> 1) * 8 : header >>> 1;
    if (run > values - seen + maxPadding)
      throw new Error(`a run declares ${String(run)} values, and its page has ${String(values)}`);
    // The decoder reads a byte of a packed run even if the run is empty.
    reader.offset += isPacked ? Math.max(1, (run / 8) * width) : Math.ceil(width / 8);
    seen += run;
  }
}
