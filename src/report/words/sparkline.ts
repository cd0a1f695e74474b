/** Where some of these values are above zero, as `!` below the cells of a sparkline of as many; `·` where none is. */
export function markline(values: readonly (number | null)[], most: number): string {
  return cellsOf(values, most)
    .map((cell) => (cell === null ? ' ' : cell > 0 ? '!' : '·'))
    .join('');
}

/** What is drawn, and in how many characters at most. */
interface Sparkline {
  /** One a night; `null` where there is none. */
  values: readonly (number | null)[];
  most: number;
  /** The least range that fills the height: of what varies less, the noise would look like a change. */
  leastRange: number;
}

/** An odd number: a nearly constant series is within the middle one, not on an edge between two. */
const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];

/** Values as blocks of rising height; neighbours are taken together where there are too many, a gap stays empty. */
export function sparkline({ values, most, leastRange }: Sparkline): string {
  const cells = cellsOf(values, most);
  const known = cells.filter((cell) => cell !== null);
  const [least, greatest] = [Math.min(...known), Math.max(...known)];
  const range = Math.max(greatest - least, leastRange);
  const floor = (least + greatest - range) / 2;
  return cells.map((cell) => (cell === null ? ' ' : blockAt(range === 0 ? 0.5 : (cell - floor) / range))).join('');
}

const blockAt = (height: number): string =>
  blocks[Math.min(blocks.length - 1, Math.max(0, Math.floor(height * blocks.length)))] ?? '';

/** The means of neighbours; from the end, so that tonight's value does not hide among others. */
function cellsOf(values: readonly (number | null)[], most: number): (number | null)[] {
  const many = Math.ceil(values.length / most);
  const cells: (number | null)[] = [];
  for (let end = values.length; end > 0; end -= many) {
    const known = values.slice(Math.max(0, end - many), end).filter((value) => value !== null);
    cells.unshift(known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length);
  }
  return cells;
}
