import { isObject } from '../../../base/is-object.ts';
import type { FileRecord } from './record.ts';

/** Reports whether a file begins like a page of rows, as the API of dataset hosts returns them: `{"rows": [{"row_idx": 0, "row": {...}}]}`. */
export function isPageText(text: string): boolean {
  return /^\[?\s*\{\s*"(?:rows|features)"\s*:/.test(text) || (/^\[?\s*\{/.test(text) && text.includes('"row_idx"'));
}

/** Yields the rows of pages as records; other records stay as they are. */
export async function* rowsOfPages(
  records: AsyncIterable<FileRecord[]>,
  isRead: (column: string) => boolean,
): AsyncGenerator<FileRecord[]> {
  for await (const batch of records)
    yield batch.flatMap((record) => {
      const rows = 'value' in record ? rowsIn(record.value) : undefined;
      return rows?.map((row) => rowOf(row, record.place, isRead)) ?? [record];
    });
}

type Fields = Readonly<Record<string, unknown>>;

function rowsIn(value: unknown): readonly Fields[] | undefined {
  const rows = isObject(value) ? value['rows'] : undefined;
  return Array.isArray(rows) && rows.length > 0 && rows.every(isRow) ? rows : undefined;
}

const isRow = (row: unknown): row is Fields => isObject(row) && isObject(row['row']);

/** Reads a row by its number in the dataset. A row whose text was cut is malformed. */
function rowOf(page: Fields, place: number, isRead: (column: string) => boolean): FileRecord {
  const { row_idx: index, row, truncated_cells: cells } = page;
  const number = typeof index === 'number' ? index + 1 : place;
  const cut = Array.isArray(cells) ? cells.filter((cell) => typeof cell === 'string' && isRead(cell)) : [];
  if (cut.length === 0) return { place: number, value: row };
  return { place: number, problem: 'malformed', detail: `its cells ${cut.join(', ')} are truncated` };
}
