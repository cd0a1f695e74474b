// The generated part of docs/reference/protocols.md.
import { isApplicable, type CellName, type GalleryRow } from '../test/gallery/row.ts';
import { galleryRows } from '../test/gallery/rows.ts';

/** Cells, in the order of columns; the first one of a column with two cells decides its name. */
const columns = [
  'streamed',
  'whole',
  'error inside a 200',
  'cut stream',
  'refusal',
  'usage in parts',
  'tool call',
  'user who leaves',
  'retry',
  'try',
  'check rules',
] as const satisfies readonly CellName[];

/** Cells of the gallery of protocols as a Markdown table, with notes on the cells that do not apply. */
export function galleryTable(): string {
  const notes: string[] = [];
  const rows = Object.entries(galleryRows).map(([name, row]) => [
    `\`${name}\``,
    ...columns.map((cell) => mark(row, cell, notes)),
  ]);
  const head = ['protocol', ...columns.map((cell) => (cell === 'whole' ? 'not streamed' : cell))];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...lines, '', ...notes.map((note, index) => `${String(index + 1)}. ${note}`)].join('\n');
}

function mark({ cells }: GalleryRow, name: CellName, notes: string[]): string {
  const cell: object = cells[name];
  const reasons = [cell, ...(Object.values(cell) as unknown[])].filter(isReason);
  if (reasons.length === 0) return 'tested';
  const numbers = reasons.map(({ notApplicable, source }) => {
    const note = `Not applicable: ${notApplicable} (${source.startsWith('https://') ? `[source](${source})` : source}).`;
    return notes.includes(note) ? notes.indexOf(note) + 1 : notes.push(note);
  });
  return `${isApplicable(cell) ? 'tested, ' : ''}note ${[...new Set(numbers)].join(', ')}`;
}

const isReason = (value: unknown): value is { notApplicable: string; source: string } =>
  typeof value === 'object' && value !== null && 'notApplicable' in value;
