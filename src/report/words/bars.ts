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

/** Where some of these values are above zero, as `!` below the cells of a sparkline of as many; `·` where none is. */
export function markline(values: readonly (number | null)[], max: number): string {
  return cellsOf(values, max)
    .map((cell) => (cell === null ? ' ' : cell > 0 ? '!' : '·'))
    .join('');
}

/** What is drawn, and in how many characters at most. */
interface Sparkline {
  /** One a night; `null` where there is none. */
  values: readonly (number | null)[];
  max: number;
  /** The least range that fills the height: of what varies less, the noise would look like a change. */
  minRange: number;
}

/** An odd number: a nearly constant series is within the middle one, not on an edge between two. */
const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];

/** Values as blocks of rising height; neighbours are taken together where there are too many, a gap stays empty. */
export function sparkline({ values, max, minRange }: Sparkline): string {
  const cells = cellsOf(values, max);
  const known = cells.filter((cell) => cell !== null);
  const [min, greatest] = [Math.min(...known), Math.max(...known)];
  const range = Math.max(greatest - min, minRange);
  const floor = (min + greatest - range) / 2;
  return cells.map((cell) => (cell === null ? ' ' : blockAt(range === 0 ? 0.5 : (cell - floor) / range))).join('');
}

const blockAt = (height: number): string =>
  blocks[Math.min(blocks.length - 1, Math.max(0, Math.floor(height * blocks.length)))] ?? '';

/** The means of neighbours; from the end, so that tonight's value does not hide among others. */
function cellsOf(values: readonly (number | null)[], max: number): (number | null)[] {
  const many = Math.ceil(values.length / max);
  const cells: (number | null)[] = [];
  for (let end = values.length; end > 0; end -= many) {
    const known = values.slice(Math.max(0, end - many), end).filter((value) => value !== null);
    cells.unshift(known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length);
  }
  return cells;
}
