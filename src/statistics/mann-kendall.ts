/**
 * Kendall's S of a series: how many pairs rise, less how many fall; and the variance that it has in a series of
 * independent values without a trend, equal values taken into account (Kendall, Rank Correlation Methods, 1975).
 */
export function mannKendall(values: readonly number[]): { s: number; variance: number } {
  const n = values.length;
  let s = 0;
  for (const [later, value] of values.entries())
    for (let earlier = 0; earlier < later; earlier++) s += Math.sign(value - (values[earlier] ?? value));
  const tied = sizesOfTies(values).reduce((sum, size) => sum + spread(size), 0);
  return { s, variance: (spread(n) - tied) / 18 };
}

const spread = (n: number): number => n * (n - 1) * (2 * n + 5);

function sizesOfTies(values: readonly number[]): number[] {
  const sizes = new Map<number, number>();
  for (const value of values) sizes.set(value, (sizes.get(value) ?? 0) + 1);
  return [...sizes.values()];
}
