import { CsvError, parse, type Info } from 'csv-parse';
import { formatCount } from '../../../base/format.ts';
import { parseJson } from '../../../base/json.ts';
import type { Blocks } from '../lines.ts';
import { maxRecordBytes, type FileRecord } from './record.ts';

/** A row of a table, and its position in the file. */
export interface TableRow {
  cells: string[];
  /** Position of its first byte. */
  offset: number;
  /** Position after its last byte. */
  end: number;
  /** Line on which it begins, from 1. */
  line: number;
}

interface TableForm {
  delimiter: string;
  maxRowBytes: number;
  /** True if quotes within unquoted cells are kept. */
  hasLooseQuotes: boolean;
}

/** Yields the rows of CSV, the header included. Throws `CsvError` and `TableLimit`. */
export async function* readTable(
  blocks: Blocks,
  { delimiter, maxRowBytes, hasLooseQuotes }: TableForm,
): AsyncGenerator<TableRow[]> {
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: maxRowBytes,
    relax_column_count: true,
    relax_quotes: hasLooseQuotes,
    skip_empty_lines: true,
  });
  // Errors are read from the parser itself, after the rows that precede them.
  parser.on('error', () => undefined);
  const bounds = new TableBounds(delimiter);
  let offset = 0;
  let line = 1;
  const take = (): TableRow[] => {
    const rows: TableRow[] = [];
    for (let row = parser.read() as Parsed | null; row !== null; row = parser.read() as Parsed | null) {
      const { bytes, lines } = row.info;
      rows.push({ cells: row.record, offset, end: bytes, line });
      offset = bytes;
      line = lines + 1;
    }
    return rows;
  };
  for await (const block of blocks) {
    bounds.check(block);
    // A copy: the buffer of a block is reused.
    parser.write(Buffer.from(block));
    yield take();
    if (parser.errored !== null) throw parser.errored;
  }
  const rest: TableRow[] = [];
  const ended = new Promise((resolve) => parser.once('end', resolve).once('error', resolve));
  parser.on('readable', () => rest.push(...take())).end();
  await ended;
  yield rest;
  if (parser.errored !== null) throw parser.errored;
}

interface Parsed {
  info: Info;
  record: string[];
}

const newline = 0x0a;

/** Maximum size of the header line: in the first line, the parser searches for the kind of line break at every byte, which is slow. */
const maxHeaderBytes = 1024 ** 2;

/** Maximum number of cells in a line: the parser holds all cells of a row. */
const maxCells = 1_000_000;

/** Checks the bytes of a table before a parser receives them. Both limits apply to lines, quoted or not. */
export class TableBounds {
  readonly #separator: number;
  #line = 1;
  #cells = 1;
  #headerBytes = 0;

  constructor(delimiter: string) {
    this.#separator = delimiter.charCodeAt(0);
  }

  /** Throws an error that names the limit and the line. */
  check(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (byte === newline) {
        this.#line += 1;
        this.#cells = 1;
      } else if (byte === this.#separator && ++this.#cells > maxCells)
        throw new TableLimit(`line ${String(this.#line)} has more than ${formatCount(maxCells)} cells`);
      if (this.#line === 1 && ++this.#headerBytes > maxHeaderBytes)
        throw new TableLimit('its first line has more than 1 MB, and it should name the columns');
    }
  }
}

export class TableLimit extends Error {}

/** Yields the rows of CSV by the column names in its first line. Cells that contain JSON, such as lists of messages, are parsed. */
export async function* readTableRecords(
  blocks: Blocks,
  delimiter: string,
  isRead: (column: string) => boolean,
): AsyncGenerator<FileRecord[]> {
  let names: readonly string[] | undefined;
  let row = 0;
  try {
    for await (const rows of readTable(blocks, { delimiter, maxRowBytes: maxRecordBytes, hasLooseQuotes: true })) {
      const header = names === undefined ? rows.shift() : undefined;
      names ??= header && namesOf(header.cells, isRead);
      const known = names ?? [];
      yield rows.map(({ cells }) => recordOf(known, cells, ++row));
    }
  } catch (thrown) {
    throw thrown instanceof CsvError ? new Error(problemOf(thrown, row), { cause: thrown }) : thrown;
  }
}

/** Throws if two of the columns that are read have the same name. */
function namesOf(cells: readonly string[], isRead: (column: string) => boolean): readonly string[] {
  const names = cells.map((name) => name.trim());
  const twice = names.find((name, index) => isRead(name) && names.indexOf(name) !== index);
  if (twice === undefined) return names;
  throw new Error(`it has two columns '${twice}': keep one of them, or rename the other`);
}

const problemOf = ({ code, message }: CsvError, row: number): string =>
  code === 'CSV_MAX_RECORD_SIZE'
    ? `row ${String(row + 1)} has more than 64 MB: correct its quotes if it should be shorter`
    : `it is not CSV after row ${String(row)} (${message}): a quote that opens a cell has to be closed, and one within it doubled`;

function recordOf(names: readonly string[], cells: readonly string[], place: number): FileRecord {
  if (cells.length !== names.length) {
    const detail = `it has ${String(cells.length)} cells, and the first line names ${String(names.length)}`;
    return { place, problem: 'malformed', detail };
  }
  return { place, value: Object.fromEntries(names.map((name, index) => [name, valueOf(cells[index] ?? '')])) };
}

function valueOf(cell: string): unknown {
  if (!/^\s*[[{]/.test(cell)) return cell;
  try {
    return parseJson(cell);
  } catch {
    return cell;
  }
}
