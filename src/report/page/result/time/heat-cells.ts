import { bucketCount, lowestOf, type SparseHistogram } from '../../../../record/sparse-histogram.ts';
import { heatFromMs, heatStep } from '../../page.ts';

/** The row of the heat map of every bucket of a histogram, by its middle; what is shorter than the first row is in it. */
const rows = Uint8Array.from({ length: bucketCount }, (_, index) => {
  const middleMs = (lowestOf(index) + lowestOf(index + 1)) / 2000;
  return Math.max(0, Math.floor(Math.log(middleMs / heatFromMs) / Math.log(heatStep)));
});

/** The values of an interval by row of the heat map: pairs of a row and its count, flat, by rising row. */
export function heatCells({ indexes, counts }: SparseHistogram): number[] {
  const cells: number[] = [];
  for (let place = 0; place < indexes.length; place++) {
    const row = rows[indexes[place] ?? 0] ?? 0;
    const last = cells.length - 2;
    if (cells[last] === row) cells[last + 1] = (cells[last + 1] ?? 0) + (counts[place] ?? 0);
    else cells.push(row, counts[place] ?? 0);
  }
  return cells;
}
