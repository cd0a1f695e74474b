import type { AsyncBuffer, Compressors, PageHeader } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert } from 'hyparquet/src/convert.js';
import { getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { declaredWeight, type Decoder, openPage } from './parquet-page.ts';

/** Limits the memory of the pages of all columns that are decoded at the same time. */
export class PageMemory {
  #held = 0;

  /** Throws if this number of bytes exceeds the limit. */
  require(bytes: number): void {
    const needed = this.#held + bytes;
    if (needed > maxBytes)
      throw new Error(
        `its pages take ${(needed / 1e9).toFixed(1)} GB at a time, and at most 1 GB is held: write it with smaller pages or smaller row groups`,
      );
  }

  hold(bytes: number): void {
    this.require(bytes);
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

const maxBytes = 1e9;

interface Source {
  file: AsyncBuffer;
  decoder: Decoder;
  compressors: Compressors;
  memory: PageMemory;
  /** Bytes of the column in one row group. */
  start: number;
  end: number;
}

/** A physical column of a row group. Decodes its pages one by one, each once. */
export class ParquetColumn {
  readonly #source: Source;
  readonly #isNested: boolean;
  #offset: number;
  #dictionary: ReturnType<typeof convert> | undefined;
  #rows: ArrayLike<unknown> = [];
  #at = 0;
  /** Memory of the rows, and the part of it that the last page takes. */
  #bytes = 0;
  #pageBytes = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#offset = source.start;
    this.#isNested = getMaxRepetitionLevel(source.decoder.schemaPath) > 0;
  }

  /** Number of complete decoded rows: the last row of lists may continue in the next page. */
  get ready(): number {
    const last = this.#isNested && !this.#isDone ? 1 : 0;
    return Math.max(0, this.#rows.length - this.#at - last);
  }

  /** Decodes pages until a row is complete, or the column ends. */
  async fill(): Promise<void> {
    while (this.ready === 0 && !this.#isDone) await this.#readNext();
  }

  take(count: number): unknown[] {
    this.#at += count;
    return this.#slice(this.#at - count, this.#at);
  }

  get #isDone(): boolean {
    return this.#offset >= this.#source.end - 1;
  }

  #slice(from: number, end?: number): unknown[] {
    return Array.prototype.slice.call(this.#rows, from, end) as unknown[];
  }

  async #readNext(): Promise<void> {
    const { file, decoder, compressors, memory, end } = this.#source;
    const { header, length } = await readHeader(file, this.#offset, end);
    const isDictionary = header.type === 'DICTIONARY_PAGE';
    if (!isDictionary) this.#forget();
    const declared = declaredWeight(header, decoder);
    memory.require(declared);
    const from = this.#offset + length;
    this.#offset = from + header.compressed_page_size;
    if (this.#offset > end) throw new Error('a page is cut off');
    const page = openPage(await read(file, from, this.#offset), { header, decoder, compressors });
    memory.hold(declared + page.weight);
    const before = this.#rows.length > 0 ? Array.from(this.#rows) : undefined;
    const plain = { ...decoder, codec: 'UNCOMPRESSED' as const };
    const { data } = readPage(readerOf(page.bytes), page.header, plain, this.#dictionary, before, 0);
    if (data === undefined) throw new Error('a page has no values');
    if (isDictionary) this.#dictionary = convert(data, decoder);
    else {
      this.#rows = data;
      this.#pageBytes = declared + page.weight;
      this.#bytes += this.#pageBytes;
    }
  }

  /** Keeps only the row that may continue. */
  #forget(): void {
    const isOne = this.#rows.length === 1;
    this.#rows = this.#slice(this.#at);
    this.#at = 0;
    const kept = this.#rows.length === 0 ? 0 : isOne ? this.#bytes : this.#pageBytes;
    this.#source.memory.release(this.#bytes - kept);
    this.#bytes = kept;
  }
}

/** A header is longer only if it contains long statistics. */
const usualHeaderBytes = 64 * 1024;
const maxHeaderBytes = 16 * 1024 ** 2;

async function readHeader(
  file: AsyncBuffer,
  from: number,
  end: number,
  bytes = usualHeaderBytes,
): Promise<{ header: PageHeader; length: number }> {
  const reader = readerOf(await read(file, from, Math.min(end, from + bytes)));
  try {
    return { header: parquetHeader(reader), length: reader.offset };
  } catch (thrown) {
    if (from + bytes >= end || bytes === maxHeaderBytes) throw thrown;
    return readHeader(file, from, end, maxHeaderBytes);
  }
}

const read = async (file: AsyncBuffer, from: number, to: number): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(from, to));

const readerOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => ({
  view: new DataView(buffer, byteOffset, byteLength),
  offset: 0,
});
