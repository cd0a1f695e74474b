import type { Compressors, DataReader, PageHeader } from 'hyparquet';
import type { readPage } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';

export type Decoder = Parameters<typeof readPage>[2];

/** A page that is decompressed and checked, ready to be decoded. */
export interface OpenPage {
  header: PageHeader;
  bytes: Uint8Array;
  /** The memory that it takes once it is decoded, roughly. */
  weight: number;
}

/** What a decoded value takes: in an array, for each level of lists that it may open, and as bytes of its own. */
const weights = { value: 48, list: 350, bytes: 150 } as const;

/** The memory that a page declares to take; known before it is decompressed. */
export function declaredWeight(header: PageHeader, decoder: Decoder): number {
  const { values, encoding } = contentOf(header);
  const size = header.uncompressed_page_size;
  if (!(size >= 0 && values >= 0 && header.compressed_page_size >= 0)) throw new Error('a page has a negative size');
  const isBytes = /BYTE_ARRAY/.test(decoder.type) && !/DICTIONARY$/.test(encoding ?? '');
  const each = weights.value + weights.list * getMaxRepetitionLevel(decoder.schemaPath) + (isBytes ? weights.bytes : 0);
  return 2 * size + values * each;
}

function contentOf(header: PageHeader): { values: number; encoding: string | undefined } {
  const content = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
  if (content === undefined) return { values: 0, encoding: undefined };
  const isDictionary = header.type === 'DICTIONARY_PAGE';
  return { values: content.num_values, encoding: isDictionary ? 'PLAIN' : content.encoding };
}

interface Packed {
  header: PageHeader;
  decoder: Decoder;
  compressors: Compressors;
}

/** Decompresses a page, and throws if it would make the decoder write more than its header declares. */
export function openPage(packed: Uint8Array, { header, decoder, compressors }: Packed): OpenPage {
  const second = header.data_page_header_v2;
  const levels = second === undefined ? 0 : levelBytes(second, packed.length);
  const size = header.uncompressed_page_size - levels;
  const rest = packed.subarray(levels);
  const plain = second?.is_compressed === false ? rest : decompressPage(rest, size, decoder.codec, compressors);
  const bytes = levels === 0 ? plain : Buffer.concat([packed.subarray(0, levels), plain]);
  const page = { header: asPlain(header, bytes.length), bytes };
  return { ...page, weight: 2 * requireSafe(page, decoder) };
}

/** In a page of the second version the levels are before the part that is compressed. */
function levelBytes(second: NonNullable<PageHeader['data_page_header_v2']>, length: number): number {
  const { repetition_levels_byte_length: repetition, definition_levels_byte_length: definition } = second;
  const { num_nulls: nulls, num_values: values } = second;
  if (!(repetition >= 0 && definition >= 0 && repetition + definition <= length)) throw new Error('a page is cut off');
  if (!(nulls >= 0 && nulls <= values)) throw new Error('a page has more nulls than values');
  return repetition + definition;
}

function asPlain({ data_page_header_v2: second, ...header }: PageHeader, length: number): PageHeader {
  const sizes = { ...header, compressed_page_size: length, uncompressed_page_size: length };
  return second === undefined ? sizes : { ...sizes, data_page_header_v2: { ...second, is_compressed: false } };
}

/** Throws for a page that is not what it declares; returns the bytes of values that share their beginnings. */
function requireSafe({ header, bytes }: Pick<OpenPage, 'header' | 'bytes'>, decoder: Decoder): number {
  if (header.type === 'DICTIONARY_PAGE') return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { values, encoding = '' } = contentOf(header);
  const { from, present } = requireLevels(view, header, decoder);
  if (encoding === 'DELTA_BYTE_ARRAY') return sharedBytes(view, from, present());
  const isDictionary = encoding.endsWith('_DICTIONARY');
  if (encoding === 'RLE' || (isDictionary && decoder.type === 'BOOLEAN'))
    requireRuns(view, { from: from + 4, width: 1, values });
  else if (isDictionary && from < view.byteLength)
    requireRuns(view, { from: from + 1, width: view.getUint8(from), values });
  return 0;
}

interface Levels {
  /** Where the values begin. */
  from: number;
  /** Counts the values that are not null. */
  present: () => number;
}

function requireLevels(view: DataView, header: PageHeader, { schemaPath }: Decoder): Levels {
  const { values } = contentOf(header);
  const second = header.data_page_header_v2;
  const repetition = getMaxRepetitionLevel(schemaPath);
  const definition = getMaxDefinitionLevel(schemaPath);
  const middle = levelsEnd(view, { from: 0, level: repetition, values, bytes: second?.repetition_levels_byte_length });
  const from = levelsEnd(view, {
    from: middle,
    level: definition,
    values,
    bytes: second?.definition_levels_byte_length,
  });
  if (second !== undefined) return { from, present: () => values - second.num_nulls };
  const present = () => (definition === 0 ? values : countLevels(view, { from: middle, level: definition, values }));
  return { from, present };
}

/** The number of bits that a level needs. */
const widthOf = (level: number): number => 32 - Math.clz32(level);

interface LevelSection {
  from: number;
  /** The greatest level; without one the section is missing. */
  level: number;
  values: number;
  /** Of a page of the second version; in the first one they are before the levels. */
  bytes: number | undefined;
}

function levelsEnd(view: DataView, { from, level, values, bytes }: LevelSection): number {
  if (level === 0) return from + (bytes ?? 0);
  const start = bytes === undefined ? from + 4 : from;
  requireRuns(view, { from: start, width: widthOf(level), values });
  return start + (bytes ?? view.getUint32(from, true));
}

function countLevels(view: DataView, { from, level, values }: Omit<LevelSection, 'bytes'>): number {
  const levels = new Array<number>(values);
  readRleBitPackedHybrid({ view, offset: from }, widthOf(level), levels);
  return levels.filter((each) => each === level).length;
}

/** In this encoding a value may repeat the beginning of the one before it, which may be long. */
function sharedBytes(view: DataView, from: number, values: number): number {
  const reader = { view, offset: from };
  const [prefixes, suffixes] = [new Int32Array(values), new Int32Array(values)];
  deltaBinaryUnpack(reader, values, prefixes);
  deltaBinaryUnpack(reader, values, suffixes);
  return prefixes.reduce((sum, prefix, at) => sum + Math.max(0, prefix) + Math.max(0, suffixes[at] ?? 0), 0);
}

/** Runs that end a section of levels or indices may be padded by a few values. */
const maxPadding = 1024;

interface Section {
  from: number;
  /** Bits of a value. */
  width: number;
  values: number;
}

/**
 * Throws if a run of a section declares more values than the section has. The decoder trusts the length of a run, so that
 * five bytes would make it write billions of values.
 */
function requireRuns(view: DataView, { from, width, values }: Section): void {
  if (width > 32) throw new Error(`values have ${String(width)} bits`);
  const reader: DataReader = { view, offset: from };
  for (let seen = 0; seen < values && reader.offset < view.byteLength;) {
    const header = readVarInt(reader);
    const isPacked = header % 2 === 1;
    const run = isPacked ? ((header - 1) / 2) * 8 : header / 2;
    if (run > values - seen + maxPadding)
      throw new Error(`a run declares ${String(run)} values, and its page has ${String(values)}`);
    // The decoder reads a byte of a packed run before it looks whether there is one.
    reader.offset += isPacked ? Math.max(1, (run / 8) * width) : Math.ceil(width / 8);
    seen += run;
  }
}

function readVarInt(reader: DataReader): number {
  let value = 0;
  for (let factor = 1; reader.offset < reader.view.byteLength; factor *= 128) {
    const byte = reader.view.getUint8(reader.offset++);
    value += (byte % 128) * factor;
    if (byte < 128) break;
  }
  return value;
}
