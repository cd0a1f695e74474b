/** A column and its value in a row, or nothing for an empty cell. Texts are from closed sets, so they need no quotes. */
export type CsvColumn<Row> = readonly [name: string, read: (row: Row) => number | boolean | string | null | undefined];

/** Writes rows as CSV, with a header line. */
export function renderCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map(([, read]) => String(read(row) ?? '')));
  return [columns.map(([name]) => name), ...lines].map((cells) => cells.join(',')).join('\n');
}
