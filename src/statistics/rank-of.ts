/** The rank, from 1, of the nearest-rank percentile among `count` sorted values. */
export function rankOf(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100 - 1e-9));
}
