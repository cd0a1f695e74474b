/** The figures behind a chart: what its table shows, and what is saved as CSV. Cells of numbers are not rounded. */
export interface Sheet {
  columns: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}

/** A sheet as CSV (RFC 4180). A text that a spreadsheet would take for a formula is kept a text. */
export function csvOf({ columns, rows }: Sheet): string {
  return [columns, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n');
}

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
