/** A column and its value in a row; empty where there is none. Texts are of closed sets, so nothing needs quotes. */
export type CsvColumn<Row> = readonly [name: string, read: (row: Row) => number | boolean | string | null | undefined];

/** Writes rows as CSV: a line each, below a line with the names of the columns. */
export function renderCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map(([, read]) => String(read(row) ?? '')));
  return [columns.map(([name]) => name), ...lines].map((cells) => cells.join(',')).join('\n');
}
