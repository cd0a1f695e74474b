/**
 * The one-sample Kolmogorov-Smirnov test: how probable a distance at least this large from `cdf` is for a sample that
 * is of that distribution (Kolmogorov's limit with Stephens' correction for the size of the sample, 1970).
 */
export function kolmogorovSmirnov(sample: readonly number[], cdf: (x: number) => number): number {
  const sorted = [...sample].sort((a, b) => a - b);
  const n = sorted.length;
  let distance = 0;
  sorted.forEach((x, i) => {
    const expected = cdf(x);
    distance = Math.max(distance, (i + 1) / n - expected, expected - i / n);
  });
  const root = Math.sqrt(n);
  return exceeding((root + 0.12 + 0.11 / root) * distance);
}

/** The probability that Kolmogorov's statistic is at least `x`. */
export function exceeding(x: number): number {
  if (x < 0.2) return 1;
  let sum = 0;
  for (let j = 1; j <= 20; j++) sum += (j % 2 === 1 ? 2 : -2) * Math.exp(-2 * j * j * x * x);
  return Math.min(1, Math.max(0, sum));
}
