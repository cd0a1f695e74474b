const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** What a bar shows, and in how many characters. */
interface Bar {
  /** Of the longest bar: 1 fills it, and more is cut, which an arrow shows. */
  share: number;
  width: number;
  /** Where a limit is, of the longest bar; `null`: there is none to show. */
  limit?: number | null;
}

/** A bar in eighths of a character, always `width` characters long; what is not zero is never empty. */
export function bar({ share, width, limit = null }: Bar): string {
  const cells = Array.from(filled(Math.max(0, share), width).padEnd(width));
  const at = limit === null ? -1 : Math.round(limit * width);
  if (at >= 0 && at < width) cells[at] = '│';
  return cells.join('');
}

function filled(share: number, width: number): string {
  if (share > 1) return `${'█'.repeat(width - 1)}»`;
  const parts = Math.max(share > 0 ? 1 : 0, Math.round(share * width * 8));
  return `${'█'.repeat(Math.floor(parts / 8))}${eighths[parts % 8] ?? ''}`;
}
