import { DenseHistogram } from './dense-histogram.ts';
import type { SparseHistogram } from './sparse-histogram.ts';

/** Empty between two sums. */
const scratch = new DenseHistogram();

/** The sum of histograms. */
export function addSparse(parts: readonly SparseHistogram[]): SparseHistogram {
  for (const part of parts) scratch.addSparse(part);
  const sum = scratch.filled();
  scratch.clear();
  return sum;
}
