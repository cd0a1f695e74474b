const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

interface Bar {
  /** Share of the full length; longer bars are cut and end with an arrow. */
  share: number;
  width: number;
  /** Position of a limit as a share of the full length; `null` for none. */
  limit?: number | null;
}

/** Draws a bar in eighths of a character, always `width` characters long; values above zero are never empty. */
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

/** Signs of the parts of a stacked bar, in their order. */
export const stackedSigns = ['█', '▒', '░'] as const;

/** Draws parts, as shares of the full length, one after another, each with its own sign; parts above zero are never empty. */
export function stackedBar(shares: readonly number[], width: number): string {
  let [sum, drawn] = [0, ''];
  shares.forEach((share, index) => {
    sum += share;
    const cells = Math.max(share > 0 ? 1 : 0, Math.round(sum * width) - drawn.length);
    drawn += (stackedSigns[index] ?? ' ').repeat(cells);
  });
  return drawn.slice(0, width).padEnd(width);
}

/** Marks values above zero with `!` and others with `·`, aligned with the cells of a sparkline. */
export function markline(values: readonly (number | null)[], max: number): string {
  return cellsOf(values, max)
    .map((cell) => (cell === null ? ' ' : cell > 0 ? '!' : '·'))
    .join('');
}

interface Sparkline {
  /** Values; `null` for gaps. */
  values: readonly (number | null)[];
  /** Maximum number of characters. */
  max: number;
  /** Minimum range that fills the height, so that noise does not look like a change. */
  minRange: number;
}

/** Blocks; their number is odd, so that a nearly constant series stays within the middle one. */
const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];

/** Draws values as blocks of rising height; averages neighbours if there are too many, and leaves gaps empty. */
export function sparkline({ values, max, minRange }: Sparkline): string {
  const cells = cellsOf(values, max);
  const known = cells.filter((cell) => cell !== null);
  const [min, highest] = [Math.min(...known), Math.max(...known)];
  const range = Math.max(highest - min, minRange);
  const floor = (min + highest - range) / 2;
  return cells.map((cell) => (cell === null ? ' ' : blockAt(range === 0 ? 0.5 : (cell - floor) / range))).join('');
}

const blockAt = (height: number): string =>
  blocks[Math.min(blocks.length - 1, Math.max(0, Math.floor(height * blocks.length)))] ?? '';

/** Averages neighbours. It starts from the end, so that the latest value has the fewest neighbours. */
function cellsOf(values: readonly (number | null)[], max: number): (number | null)[] {
  const perCell = Math.ceil(values.length / max);
  const cells: (number | null)[] = [];
  for (let end = values.length; end > 0; end -= perCell) {
    const known = values.slice(Math.max(0, end - perCell), end).filter((value) => value !== null);
    cells.unshift(known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length);
  }
  return cells;
}
