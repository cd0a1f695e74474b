import type { AsyncBuffer, Compressors, PageHeader } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert } from 'hyparquet/src/convert.js';
import { getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { declaredWeight, type Decoder, openPage, type OpenPage } from './parquet-page.ts';

/** The memory that the pages of all columns which are decoded at a time may take. */
export class PageRoom {
  #held = 0;

  /** Throws if there is no room for so many bytes. */
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
  room: PageRoom;
  /** The bytes of the column in one row group. */
  start: number;
  end: number;
}

/** One physical column of a row group: page by page, each of which is decoded once. */
export class ParquetColumn {
  readonly #source: Source;
  readonly #isNested: boolean;
  #offset: number;
  #dictionary: ReturnType<typeof convert> | undefined;
  #rows: ArrayLike<unknown> = [];
  #at = 0;
  /** The memory of the rows, and the part of it that the last page takes. */
  #bytes = 0;
  #pageBytes = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#offset = source.start;
    this.#isNested = getMaxRepetitionLevel(source.decoder.schemaPath) > 0;
  }

  /** The number of whole rows that are decoded: the last one of lists may go on in the next page. */
  get ready(): number {
    const last = this.#isNested && !this.#isDone ? 1 : 0;
    return Math.max(0, this.#rows.length - this.#at - last);
  }

  /** Decodes pages until there is a whole row, or the column has ended. */
  async fill(): Promise<void> {
    while (this.ready === 0 && !this.#isDone) await this.#readNext();
  }

  take(count: number): unknown[] {
    const rows = this.#slice(count);
    this.#at += count;
    return rows;
  }

  get #isDone(): boolean {
    return this.#offset >= this.#source.end - 1;
  }

  #slice(count?: number): unknown[] {
    const end = count === undefined ? undefined : this.#at + count;
    return Array.prototype.slice.call(this.#rows, this.#at, end) as unknown[];
  }

  async #readNext(): Promise<void> {
    const { file, decoder, compressors, room, end } = this.#source;
    const { header, length } = await readHeader(file, this.#offset, end);
    const isDictionary = header.type === 'DICTIONARY_PAGE';
    if (!isDictionary) this.#forget();
    const declared = declaredWeight(header, decoder);
    room.require(declared);
    const from = this.#offset + length;
    this.#offset = from + header.compressed_page_size;
    if (this.#offset > end) throw new Error('a page is cut off');
    const page = openPage(await read(file, from, this.#offset), { header, decoder, compressors });
    room.hold(declared + page.weight);
    if (!isDictionary) this.#pageBytes = declared + page.weight;
    this.#decode(page);
  }

  /** Keeps of the rows only the one that may go on. */
  #forget(): void {
    const isOne = this.#rows.length === 1;
    this.#rows = this.#slice();
    this.#at = 0;
    const kept = this.#rows.length === 0 ? 0 : isOne ? this.#bytes : this.#pageBytes;
    this.#source.room.release(this.#bytes - kept);
    this.#bytes = kept;
  }

  #decode({ header, bytes }: OpenPage): void {
    const { decoder } = this.#source;
    const reader = { view: viewOf(bytes), offset: 0 };
    const before = this.#rows.length > 0 ? Array.from(this.#rows) : undefined;
    const plain = { ...decoder, codec: 'UNCOMPRESSED' as const };
    const { data } = readPage(reader, header, plain, this.#dictionary, before, 0);
    if (data === undefined) throw new Error('a page has no values');
    if (header.type === 'DICTIONARY_PAGE') this.#dictionary = convert(data, decoder);
    else {
      this.#rows = data;
      this.#bytes += this.#pageBytes;
    }
  }
}

/** A header is longer only if it has long statistics. */
const headerBytes = [64 * 1024, 16 * 1024 ** 2];

async function readHeader(
  file: AsyncBuffer,
  from: number,
  end: number,
): Promise<{ header: PageHeader; length: number }> {
  for (const bytes of headerBytes) {
    const reader = { view: viewOf(await read(file, from, Math.min(end, from + bytes))), offset: 0 };
    try {
      const header = parquetHeader(reader);
      return { header, length: reader.offset };
    } catch (thrown) {
      if (from + bytes >= end || bytes === headerBytes.at(-1)) throw thrown;
    }
  }
  throw new Error('a page has no header');
}

const read = async (file: AsyncBuffer, from: number, to: number): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(from, to));

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
