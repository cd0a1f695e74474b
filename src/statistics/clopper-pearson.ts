import { incompleteBeta } from './incomplete-beta.ts';

/**
 * The bounds of a share that was seen in `count` draws, each exceeded with at most probability `alpha` (Clopper and
 * Pearson, 1934). `part` and `count` need not be whole: draws that resemble each other count as fewer.
 */
export function shareBounds(
  { part, count }: { part: number; count: number },
  alpha: number,
): { low: number; high: number } {
  const low = part <= 0 ? 0 : betaQuantile(alpha, part, count - part + 1);
  const high = part >= count ? 1 : betaQuantile(1 - alpha, part + 1, count - part);
  return { low, high };
}

/** By halving: some fifty evaluations are nothing beside the seconds between two looks. */
function betaQuantile(probability: number, a: number, b: number): number {
  let [from, to] = [0, 1];
  while (to - from > 1e-9 * to + 1e-15) {
    const middle = (from + to) / 2;
    if (incompleteBeta(a, b, middle / (1 - middle)) < probability) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}
