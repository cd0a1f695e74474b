import type { TableBlock, TableRow } from './page.ts';

/** A table as it is written down: `>` before the head of a column aligns it right. */
interface TableParts {
  title: string;
  columns: readonly string[];
  rows: readonly TableRow[];
}

/** A table; none without rows. */
export function tableBlock({ title, columns, rows }: TableParts): TableBlock[] {
  if (rows.length === 0) return [];
  const heads = columns.map((head) =>
    head.startsWith('>') ? { head: head.slice(1), align: 'right' as const } : { head, align: 'left' as const },
  );
  return [{ type: 'table', title, columns: heads, rows }];
}
